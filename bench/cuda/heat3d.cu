// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// examples/heat3d by hand: seven-point stencil in two buffers, marching through the slowest
/// dimension with the column in registers.
///
/// usage: heat3d [steps]
/// -DPOINTS=... when compiling: points per side, as in the example.
#include <vector>

#include "bench.cuh"

#ifndef POINTS
#define POINTS 66
#endif
#ifndef NAME
#define NAME "heat3d"
#endif

constexpr int kX = 32;
constexpr int kY = 8;

__global__ void step(int n, int depth, const double *__restrict__ from, double *__restrict__ to,
                     const double *__restrict__ conductivity) {
  const int k = 1 + blockIdx.x * kX + threadIdx.x;
  const int j = 1 + blockIdx.y * kY + threadIdx.y;
  const int first = 1 + blockIdx.z * depth;
  const int last = min(first + depth, n - 1);
  if (k >= n - 1 || j >= n - 1 || first >= last) {
    return;
  }
  const std::size_t plane = std::size_t(n) * n;
  std::size_t at = first * plane + std::size_t(j) * n + k;
  double before = from[at - plane];
  double here = from[at];
  for (int i = first; i < last; ++i, at += plane) {
    const double behind = from[at + plane];
    const double sum = before + behind + from[at - n] + from[at + n] + from[at - 1] + from[at + 1];
    to[at] = here + conductivity[at] * (sum - 6.0 * here);
    before = here;
    here = behind;
  }
}

int main(int argc, char **argv) {
  const long steps = argument(argc, argv, 1, 1000);
  const int n = POINTS;
  const std::size_t points = std::size_t(n) * n * n;
  std::vector<double> heat(points);
  std::vector<double> factors(points);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        const std::size_t at = (std::size_t(i) * n + j) * n + k;
        factors[at] = 0.05 + 0.1 * ((i + j + k) % 2);
        heat[at] = i == n / 2 && j == n / 2 ? 100.0 : 0.0;
      }
    }
  }
  double *u[2] = {allocate<double>(points), allocate<double>(points)};
  double *conductivity = allocate<double>(points);
  CHECK(cudaMemcpy(conductivity, factors.data(), points * 8, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(u[0], heat.data(), points * 8, cudaMemcpyHostToDevice));
  const int depth = n > 200 ? 16 : 4;
  const dim3 block(kX, kY);
  const dim3 grid((n - 2 + kX - 1) / kX, (n - 2 + kY - 1) / kY, (n - 2 + depth - 1) / depth);
  step<<<grid, block>>>(n, depth, u[0], u[1], conductivity); // Warms up; the loop does it again.
  long s = 0;
  const double time = secondsPerIteration(steps, [&] {
    step<<<grid, block>>>(n, depth, u[s % 2], u[(s + 1) % 2], conductivity);
    ++s;
  });
  CHECK(cudaMemcpy(heat.data(), u[steps % 2], points * 8, cudaMemcpyDeviceToHost));
  double total = 0.0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        total += heat[(std::size_t(i) * n + j) * n + k] * (1 + (i + j) % 3);
      }
    }
  }
  report(NAME, n, steps, time, 3.0 * sizeof(double) * double(points), "GB/s", total);
}
