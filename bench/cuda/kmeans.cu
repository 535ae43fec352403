// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// examples/kmeans by hand: assignment with sums and counts per centre in shared memory, then one
/// atomic operation per block and value; new centres on the host in every iteration.
///
/// usage: kmeans [points] [iterations]
#include <vector>

#include "bench.cuh"

constexpr int K = 8;
constexpr int kDimensions = 4;

struct Totals {
  double sums[K][kDimensions];
  unsigned long long counts[K];
  unsigned long long moved;
};

/// Read in two halves of 16 bytes.
struct Point {
  double2 xy;
  double2 zw;
};

struct Centres {
  double at[K][kDimensions];
};

__global__ void assign(long n, const Point *__restrict__ points, int *__restrict__ owner,
                       Centres centres, Totals *__restrict__ totals) {
  // A copy per warp: fewer collisions.
  constexpr int kWarps = 8;
  __shared__ Totals own[kWarps];
  for (int i = threadIdx.x; i < int(sizeof own / 8); i += blockDim.x) {
    reinterpret_cast<unsigned long long *>(own)[i] = 0;
  }
  __syncthreads();
  Totals &mine = own[threadIdx.x / 32 % kWarps];
  unsigned long long moved = 0;
  for (long i = blockIdx.x * long(blockDim.x) + threadIdx.x; i < n;
       i += long(gridDim.x) * blockDim.x) {
    const Point point = points[i];
    const double values[kDimensions] = {point.xy.x, point.xy.y, point.zw.x, point.zw.y};
    int best = 0;
    double bestDistance = 1e300;
#pragma unroll
    for (int k = 0; k < K; ++k) {
      double distance = 0.0;
#pragma unroll
      for (int d = 0; d < kDimensions; ++d) {
        const double difference = values[d] - centres.at[k][d];
        distance += difference * difference;
      }
      if (distance < bestDistance) {
        bestDistance = distance;
        best = k;
      }
    }
    moved += best != owner[i];
    owner[i] = best;
    atomicAdd(&mine.counts[best], 1ULL);
#pragma unroll
    for (int d = 0; d < kDimensions; ++d) {
      atomicAdd(&mine.sums[best][d], values[d]);
    }
  }
  atomicAdd(&mine.moved, moved);
  __syncthreads();
  const int thread = threadIdx.x;
  if (thread < K * kDimensions) {
    double sum = 0.0;
    for (int w = 0; w < kWarps; ++w) {
      sum += own[w].sums[thread / kDimensions][thread % kDimensions];
    }
    atomicAdd(&totals->sums[thread / kDimensions][thread % kDimensions], sum);
  } else if (thread < K * kDimensions + K + 1) {
    const int k = thread - K * kDimensions;
    unsigned long long count = 0;
    for (int w = 0; w < kWarps; ++w) {
      count += k < K ? own[w].counts[k] : own[w].moved;
    }
    atomicAdd(k < K ? &totals->counts[k] : &totals->moved, count);
  }
}

static double nextRandom(unsigned long long *state) {
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return double(*state >> 11) / 9007199254740992.0;
}

int main(int argc, char **argv) {
  const long n = argument(argc, argv, 1, 20000000);
  const long iterations = argument(argc, argv, 2, 20);
  std::vector<double> start(std::size_t(n) * kDimensions);
  unsigned long long state = 1;
  for (long i = 0; i < n * kDimensions; ++i) {
    start[i] = nextRandom(&state) + double(i / kDimensions % K) * 0.5;
  }
  double *points = allocate<double>(start.size());
  CHECK(cudaMemcpy(points, start.data(), start.size() * sizeof(double), cudaMemcpyHostToDevice));
  int *owner = allocate<int>(n);
  Totals *totals = allocate<Totals>(1);
  Totals *host = allocateMapped<Totals>(1);
  Centres centres;
  const auto restart = [&] {
    CHECK(cudaMemset(owner, 0xFF, n * sizeof(int)));
    for (int k = 0; k < K; ++k) {
      for (int d = 0; d < kDimensions; ++d) {
        centres.at[k][d] = start[(k * (n / K)) * kDimensions + d];
      }
    }
  };
  const int threads = 256;
  const int blocks = fillingBlocks(assign, threads);
  const auto step = [&] {
    CHECK(cudaMemsetAsync(totals, 0, sizeof *totals));
    assign<<<blocks, threads>>>(n, reinterpret_cast<const Point *>(points), owner, centres, totals);
    CHECK(cudaMemcpyAsync(host, totals, sizeof *totals, cudaMemcpyDeviceToHost));
    CHECK(cudaDeviceSynchronize());
    for (int k = 0; k < K; ++k) {
      for (int d = 0; d < kDimensions && host->counts[k] > 0; ++d) {
        centres.at[k][d] = host->sums[k][d] / double(host->counts[k]);
      }
    }
  };
  restart();
  step();
  restart();
  const double time = secondsPerIteration(iterations, step);
  double checksum = 0.0;
  for (int k = 0; k < K; ++k) {
    for (int d = 0; d < kDimensions; ++d) {
      checksum += centres.at[k][d] * (k + 1) * (d + 1);
    }
  }
  const double bytes = double(n) * (kDimensions * sizeof(double) + 2 * sizeof(int));
  report("kmeans", n, iterations, time, bytes, "GB/s", checksum);
}
