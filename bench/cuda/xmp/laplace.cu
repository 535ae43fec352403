// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// examples/xmp/acc/laplace with MPI and CUDA by hand: blocks of rows, borders by way of pinned
/// memory, and the largest change of each step on all ranks.
///
/// usage: laplace [rows] [steps]
#include <cmath>
#include <vector>

#include "nodes.cuh"

constexpr int kX = 64;
constexpr int kY = 4;

__global__ void average(long first, long last, long n, double *__restrict__ u,
                        const double *__restrict__ old) {
  const long j = 1 + blockIdx.x * long(kX) + threadIdx.x;
  const long i = first + blockIdx.y * long(kY) + threadIdx.y;
  if (i < last && j < n - 1) {
    u[i * n + j] =
        0.25 * (old[(i - 1) * n + j] + old[(i + 1) * n + j] + old[i * n + j - 1] + old[i * n + j + 1]);
  }
}

__global__ void take(long first, long last, long n, const double *__restrict__ u,
                     double *__restrict__ old, double *__restrict__ partials) {
  const long j = 1 + blockIdx.x * long(kX) + threadIdx.x;
  const long i = first + blockIdx.y * long(kY) + threadIdx.y;
  double change = 0;
  if (i < last && j < n - 1) {
    change = fabs(u[i * n + j] - old[i * n + j]);
    old[i * n + j] = u[i * n + j];
  }
  change = overBlock<Max>(change);
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    partials[blockIdx.y * long(gridDim.x) + blockIdx.x] = change;
  }
}

int main(int argc, char **argv) {
  const Ranks ranks = start(&argc, &argv);
  const long n = argument(argc, argv, 1, 8192);
  const long steps = argument(argc, argv, 2, 200);
  const long length = (n + ranks.all - 1) / ranks.all;
  const long lower = std::min(n, ranks.own * length), upper = std::min(n, lower + length);
  const long height = upper - lower;
  double *u = allocate<double>(std::size_t(height + 2) * n);
  double *old = allocate<double>(std::size_t(height + 2) * n);
  if (lower == 0) {
    std::vector<double> edge(n);
    for (long j = 0; j < n; ++j) {
      edge[j] = std::sin(3.14159265358979 * double(j) / double(n));
    }
    for (double *plate : {u, old}) {
      CHECK(cudaMemcpy(plate + n, edge.data(), n * sizeof(double), cudaMemcpyHostToDevice));
    }
  }
  const long first = lower == 0 ? 2 : 1, last = upper == n ? height : height + 1;
  const dim3 block(kX, kY);
  const dim3 grid(unsigned((n - 2 + kX - 1) / kX), unsigned((last - first + kY - 1) / kY));
  double *partials = allocate<double>(std::size_t(grid.x) * grid.y);
  double *change = allocateMapped<double>(1);
  double *border = allocateMapped<double>(4 * n);
  const int before = ranks.own > 0 ? ranks.own - 1 : MPI_PROC_NULL;
  const int after = ranks.own + 1 < ranks.all ? ranks.own + 1 : MPI_PROC_NULL;
  const std::size_t row = n * sizeof(double);

  const auto exchange = [&] {
    if (ranks.all == 1) {
      return;
    }
    CHECK(cudaMemcpyAsync(border, old + n, row, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpyAsync(border + n, old + height * n, row, cudaMemcpyDeviceToHost));
    CHECK(cudaStreamSynchronize(nullptr));
    MPI_Request requests[4];
    MPI_Irecv(border + 2 * n, int(n), MPI_DOUBLE, before, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(border + 3 * n, int(n), MPI_DOUBLE, after, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(border + n, int(n), MPI_DOUBLE, after, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(border, int(n), MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    if (before != MPI_PROC_NULL) {
      CHECK(cudaMemcpyAsync(old, border + 2 * n, row, cudaMemcpyHostToDevice));
    }
    if (after != MPI_PROC_NULL) {
      CHECK(cudaMemcpyAsync(old + (height + 1) * n, border + 3 * n, row, cudaMemcpyHostToDevice));
    }
  };
  double largest = 0;
  const auto step = [&] {
    exchange();
    average<<<grid, block>>>(first, last, n, u, old);
    take<<<grid, block>>>(first, last, n, u, old, partials);
    combine<Max><<<1, 1024>>>(long(grid.x) * grid.y, partials, change);
    CHECK(cudaDeviceSynchronize());
    largest = *change;
    if (ranks.all > 1) {
      MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
  };
  const double time = together(steps, step);
  finish(ranks, "laplace", n, time, largest);
}
