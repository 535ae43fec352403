// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// bench/luna/heat.fa with MPI and CUDA by hand: each rank has one piece of the rod on its GPU, and
/// exchanges a cell with each neighbour in every step, by way of pinned memory.
///
/// usage: heat [PARTS] [SIZE] [STEPS]
#include <vector>

#include "../xmp/nodes.cuh"

constexpr int kThreads = 256;

/// Cells 1 to `cells`; a neighbour's stand in front of them and behind.
__global__ void relax(long cells, const double *before, double *after) {
  const long i = 1 + blockIdx.x * long(kThreads) + threadIdx.x;
  if (i <= cells) {
    after[i] = before[i] + 0.25 * (before[i - 1] - 2 * before[i] + before[i + 1]);
  }
}

int main(int argc, char **argv) {
  const Ranks ranks = start(&argc, &argv);
  const long parts = argument(argc, argv, 1, 64);
  const long size = argument(argc, argv, 2, 156250);
  const long steps = argument(argc, argv, 3, 100);
  const long all = parts * size;
  // The same cut as a rope of `parts` coordinates.
  const long begin = (ranks.own * parts + ranks.all - 1) / ranks.all;
  const long end = ((ranks.own + 1) * parts + ranks.all - 1) / ranks.all;
  const long first = begin * size, cells = (end - begin) * size;
  std::vector<double> host(cells + 2);
  for (long i = 0; i < cells; ++i) {
    host[i + 1] = double((first + i) % 97) * double(all - first - i) / double(all);
  }
  double *now = allocate<double>(cells + 2);
  double *next = allocate<double>(cells + 2);
  CHECK(cudaMemcpy(now, host.data(), (cells + 2) * sizeof(double), cudaMemcpyHostToDevice));
  double *border = allocateMapped<double>(4); // First and last cell; those of the neighbours.
  const int left = ranks.own > 0 ? ranks.own - 1 : MPI_PROC_NULL;
  const int right = ranks.own + 1 < ranks.all ? ranks.own + 1 : MPI_PROC_NULL;
  for (long t = 0; t < steps; ++t) {
    if (ranks.all > 1) {
      CHECK(cudaMemcpyAsync(&border[0], &now[1], sizeof(double), cudaMemcpyDeviceToHost));
      CHECK(cudaMemcpyAsync(&border[1], &now[cells], sizeof(double), cudaMemcpyDeviceToHost));
      CHECK(cudaStreamSynchronize(nullptr));
      MPI_Request requests[4];
      MPI_Irecv(&border[2], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
      MPI_Irecv(&border[3], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[1]);
      MPI_Isend(&border[1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[2]);
      MPI_Isend(&border[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[3]);
      MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
      if (left != MPI_PROC_NULL) {
        CHECK(cudaMemcpyAsync(&now[0], &border[2], sizeof(double), cudaMemcpyHostToDevice));
      }
      if (right != MPI_PROC_NULL) {
        CHECK(cudaMemcpyAsync(&now[cells + 1], &border[3], sizeof(double), cudaMemcpyHostToDevice));
      }
    }
    relax<<<unsigned((cells + kThreads - 1) / kThreads), kThreads>>>(cells, now, next);
    CHECK(cudaGetLastError());
    std::swap(now, next);
  }
  CHECK(cudaMemcpy(host.data(), now, (cells + 2) * sizeof(double), cudaMemcpyDeviceToHost));
  double sum = 0;
  if (left != MPI_PROC_NULL) {
    MPI_Recv(&sum, 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (long i = 1; i <= cells; ++i) {
    sum += host[i];
  }
  if (right != MPI_PROC_NULL) {
    MPI_Send(&sum, 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD);
  } else {
    std::printf("sum %.17g\n", sum);
  }
  MPI_Finalize();
}
