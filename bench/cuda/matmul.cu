// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// examples/matmul by hand: doubles, tiles of both matrices in shared memory, 4 x 4 results per
/// thread in registers. No tensor cores, which the example's compiler would not use either.
///
/// usage: matmul [n] [repetitions]
#include <vector>

#include "bench.cuh"

constexpr int kTile = 64;  // Of c, both ways.
constexpr int kDepth = 16; // Of a and b.
constexpr int kOwn = 4;
constexpr int kSide = kTile / kOwn;

__global__ void __launch_bounds__(kSide *kSide)
    multiply(int n, const double *__restrict__ a, const double *__restrict__ b,
             double *__restrict__ c) {
  __shared__ double tileA[kDepth][kTile + 1];
  __shared__ double tileB[kDepth][kTile];
  const int row = blockIdx.y * kTile;
  const int column = blockIdx.x * kTile;
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int thread = y * kSide + x;
  double sums[kOwn][kOwn] = {};
  for (int first = 0; first < n; first += kDepth) {
    for (int e = thread; e < kTile * kDepth; e += kSide * kSide) {
      const int i = e / kDepth;
      const int k = e % kDepth;
      tileA[k][i] = row + i < n && first + k < n ? a[std::size_t(row + i) * n + first + k] : 0.0;
    }
    for (int e = thread; e < kTile * kDepth; e += kSide * kSide) {
      const int k = e / kTile;
      const int j = e % kTile;
      tileB[k][j] =
          first + k < n && column + j < n ? b[std::size_t(first + k) * n + column + j] : 0.0;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      double left[kOwn];
      double right[kOwn];
#pragma unroll
      for (int o = 0; o < kOwn; ++o) {
        left[o] = tileA[k][y + o * kSide];
        right[o] = tileB[k][x + o * kSide];
      }
#pragma unroll
      for (int i = 0; i < kOwn; ++i) {
#pragma unroll
        for (int j = 0; j < kOwn; ++j) {
          sums[i][j] += left[i] * right[j];
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kOwn; ++i) {
#pragma unroll
    for (int j = 0; j < kOwn; ++j) {
      const int atRow = row + y + i * kSide;
      const int atColumn = column + x + j * kSide;
      if (atRow < n && atColumn < n) {
        c[std::size_t(atRow) * n + atColumn] = sums[i][j];
      }
    }
  }
}

int main(int argc, char **argv) {
  const int n = int(argument(argc, argv, 1, 4096));
  const long repetitions = argument(argc, argv, 2, 5);
  const std::size_t points = std::size_t(n) * n;
  std::vector<double> left(points);
  std::vector<double> right(points);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      left[std::size_t(i) * n + j] = double((i + 2 * j) % 17) / 17.0;
      right[std::size_t(i) * n + j] = double((3 * i + j) % 13) / 13.0;
    }
  }
  double *a = allocate<double>(points);
  double *b = allocate<double>(points);
  double *c = allocate<double>(points);
  CHECK(cudaMemcpy(a, left.data(), points * sizeof(double), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(b, right.data(), points * sizeof(double), cudaMemcpyHostToDevice));
  const dim3 block(kSide, kSide);
  const dim3 grid((n + kTile - 1) / kTile, (n + kTile - 1) / kTile);
  const auto step = [&] { multiply<<<grid, block>>>(n, a, b, c); };
  step();
  const double time = secondsPerIteration(repetitions, step);
  CHECK(cudaMemcpy(left.data(), c, points * sizeof(double), cudaMemcpyDeviceToHost));
  double trace = 0.0;
  for (int i = 0; i < n; ++i) {
    trace += left[std::size_t(i) * n + i];
  }
  report("matmul", n, repetitions, time, 2.0 * n * points, "GFLOP/s", trace);
}
