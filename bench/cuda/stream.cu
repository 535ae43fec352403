// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// examples/stream by hand: copy, scale, add, triad and dot in every iteration, two elements per
/// thread and access.
///
/// usage: stream [elements] [repetitions]
#include <vector>

#include "bench.cuh"

constexpr int kThreads = 256;

__device__ double2 operator*(double x, double2 y) { return make_double2(x * y.x, x * y.y); }

__device__ double2 operator+(double2 x, double2 y) { return make_double2(x.x + y.x, x.y + y.y); }

__device__ long own() { return long(blockIdx.x) * blockDim.x + threadIdx.x; }

__global__ void copy(long n, const double2 *__restrict__ a, double2 *__restrict__ c) {
  if (own() < n) {
    c[own()] = a[own()];
  }
}

__global__ void scale(long n, double scalar, const double2 *__restrict__ c,
                      double2 *__restrict__ b) {
  if (own() < n) {
    b[own()] = scalar * c[own()];
  }
}

__global__ void add(long n, const double2 *__restrict__ a, const double2 *__restrict__ b,
                    double2 *__restrict__ c) {
  if (own() < n) {
    c[own()] = a[own()] + b[own()];
  }
}

__global__ void triad(long n, double scalar, const double2 *__restrict__ b,
                      const double2 *__restrict__ c, double2 *__restrict__ a) {
  if (own() < n) {
    a[own()] = b[own()] + scalar * c[own()];
  }
}

__global__ void dot(long n, const double2 *__restrict__ a, const double2 *__restrict__ b,
                    double *__restrict__ partials) {
  double sum = 0.0;
  const long step = long(gridDim.x) * blockDim.x;
  for (long i = long(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
    sum += a[i].x * b[i].x + a[i].y * b[i].y;
  }
  sum = overBlock<Sum>(sum);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = sum;
  }
}

int main(int argc, char **argv) {
  const long n = argument(argc, argv, 1, 100000000) / 2 * 2;
  const long repetitions = argument(argc, argv, 2, 20);
  const double scalar = 0.4;
  std::vector<double> start(n);
  double *memory[3] = {allocate<double>(n), allocate<double>(n), allocate<double>(n)};
  const auto put = [&] {
    for (int which = 0; which < 3; ++which) {
      for (long i = 0; i < n; ++i) {
        start[i] = which == 0 ? 1.0 + double(i % 3) : which == 1 ? 2.0 : 0.0;
      }
      CHECK(cudaMemcpy(memory[which], start.data(), n * sizeof(double), cudaMemcpyHostToDevice));
    }
  };
  auto *a = reinterpret_cast<double2 *>(memory[0]);
  auto *b = reinterpret_cast<double2 *>(memory[1]);
  auto *c = reinterpret_cast<double2 *>(memory[2]);
  const long pairs = n / 2;
  const int blocks = int((pairs + kThreads - 1) / kThreads);
  const int dotBlocks = fillingBlocks(dot, kThreads);
  double *partials = allocate<double>(dotBlocks);
  double *result = allocateMapped<double>(1);
  const auto step = [&] {
    copy<<<blocks, kThreads>>>(pairs, a, c);
    scale<<<blocks, kThreads>>>(pairs, scalar, c, b);
    add<<<blocks, kThreads>>>(pairs, a, b, c);
    triad<<<blocks, kThreads>>>(pairs, scalar, b, c, a);
    dot<<<dotBlocks, kThreads>>>(pairs, a, b, partials);
    combine<Sum><<<1, 1024>>>(dotBlocks, partials, result);
    CHECK(cudaDeviceSynchronize());
  };
  put();
  step();
  put(); // So that the check is the example's.
  const double time = secondsPerIteration(repetitions, step);
  report("stream", n, repetitions, time, 12.0 * sizeof(double) * double(n), "GB/s", *result);
}
