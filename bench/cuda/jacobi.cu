// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// examples/jacobi by hand: 5-point stencil with a sum of squares handed to the host in every
/// iteration. Built twice, with REAL = double (jacobi) and float (jacobif).
///
/// usage: jacobi [rows] [columns] [iterations]
#include <cmath>
#include <utility>
#include <vector>

#include "bench.cuh"

#ifndef REAL
#define REAL double
#define NAME "jacobi"
#endif

constexpr int kX = 32;
constexpr int kY = 8;

__global__ void sweep(int rows, int columns, const REAL *__restrict__ old, REAL *__restrict__ next,
                      REAL *__restrict__ partials) {
  const int j = 1 + blockIdx.x * kX + threadIdx.x;
  const int i = 1 + blockIdx.y * kY + threadIdx.y;
  REAL square = 0;
  if (i < rows - 1 && j < columns - 1) {
    const std::size_t at = std::size_t(i) * columns + j;
    const REAL value =
        REAL(0.25) * (old[at - columns] + old[at + columns] + old[at - 1] + old[at + 1]);
    const REAL change = value - old[at];
    next[at] = value;
    square = change * change;
  }
  square = overBlock<Sum>(square);
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    partials[std::size_t(blockIdx.y) * gridDim.x + blockIdx.x] = square;
  }
}

int main(int argc, char **argv) {
  const int rows = int(argument(argc, argv, 1, 16384));
  const int columns = int(argument(argc, argv, 2, rows));
  const long iterations = argument(argc, argv, 3, 100);
  const std::size_t points = std::size_t(rows) * columns;
  REAL *old = allocate<REAL>(points);
  REAL *next = allocate<REAL>(points);
  const dim3 block(kX, kY);
  const dim3 grid((columns - 2 + kX - 1) / kX, (rows - 2 + kY - 1) / kY);
  const long blocks = long(grid.x) * grid.y;
  REAL *partials = allocate<REAL>(blocks);
  REAL *residual = allocateMapped<REAL>(1);

  const std::vector<REAL> ones(columns, REAL(1));
  const auto start = [&] {
    for (REAL *plate : {old, next}) {
      CHECK(cudaMemset(plate, 0, points * sizeof(REAL)));
      CHECK(cudaMemcpy(plate, ones.data(), columns * sizeof(REAL), cudaMemcpyHostToDevice));
    }
  };
  double last = 0;
  const auto step = [&] {
    sweep<<<grid, block>>>(rows, columns, old, next, partials);
    combine<Sum><<<1, 1024>>>(blocks, partials, residual);
    CHECK(cudaDeviceSynchronize()); // The program looks at the residual.
    last = std::sqrt(double(*residual));
    std::swap(old, next);
  };
  start();
  secondsPerIteration(5, step);
  start(); // So that the check is the example's.
  const double time = secondsPerIteration(iterations, step);
  report(NAME, rows, iterations, time, 2.0 * sizeof(REAL) * double(points), "GB/s", last);
}
