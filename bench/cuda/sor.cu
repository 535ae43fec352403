// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// examples/sor by hand: red-black over-relaxation in place, the largest change handed to the host
/// after each colour.
///
/// usage: sor [points per side] [iterations]
#include <cmath>
#include <vector>

#include "bench.cuh"

constexpr int kX = 32;
constexpr int kY = 8;

__global__ void relax(int n, int colour, double omega, double *__restrict__ u,
                      const double *__restrict__ f, double *__restrict__ partials) {
  const int i = 1 + blockIdx.y * kY + threadIdx.y;
  const int j = 1 + (i + colour) % 2 + 2 * (blockIdx.x * kX + threadIdx.x);
  double largest = 0.0;
  if (i < n - 1 && j < n - 1) {
    const std::size_t at = std::size_t(i) * n + j;
    const double gauss = 0.25 * (u[at - n] + u[at + n] + u[at - 1] + u[at + 1] + f[at]);
    const double change = omega * (gauss - u[at]);
    u[at] += change;
    largest = fabs(change);
  }
  largest = overBlock<Max>(largest);
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    partials[std::size_t(blockIdx.y) * gridDim.x + blockIdx.x] = largest;
  }
}

int main(int argc, char **argv) {
  const int n = int(argument(argc, argv, 1, 8192));
  const long iterations = argument(argc, argv, 2, 100);
  const double pi = 3.14159265358979323846;
  const double h = 1.0 / (n - 1);
  const double omega = 2.0 / (1.0 + std::sin(pi * h));
  const std::size_t points = std::size_t(n) * n;
  std::vector<double> source(points);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      source[std::size_t(i) * n + j] = h * h * std::sin(pi * i * h) * std::sin(pi * j * h);
    }
  }
  double *u = allocate<double>(points);
  double *f = allocate<double>(points);
  CHECK(cudaMemcpy(f, source.data(), points * sizeof(double), cudaMemcpyHostToDevice));
  const dim3 block(kX, kY);
  const dim3 grid(((n - 1) / 2 + kX - 1) / kX, (n - 2 + kY - 1) / kY);
  const long blocks = long(grid.x) * grid.y;
  double *partials = allocate<double>(blocks);
  double *largest = allocateMapped<double>(1);

  double change = 0.0;
  const auto colour = [&](int which) {
    relax<<<grid, block>>>(n, which, omega, u, f, partials);
    combine<Max><<<1, 1024>>>(blocks, partials, largest);
    CHECK(cudaDeviceSynchronize());
    return *largest;
  };
  const auto step = [&] {
    const double red = colour(0);
    const double black = colour(1);
    change = std::fmax(red, black);
  };
  step();
  CHECK(cudaMemset(u, 0, points * sizeof(double))); // So that the check is the example's.
  const double time = secondsPerIteration(iterations, step);
  // Each colour reads u and f and writes half of u; every other word still moves whole lines.
  report("sor", n, iterations, time, 2 * 3.0 * sizeof(double) * double(points), "GB/s", change);
}
