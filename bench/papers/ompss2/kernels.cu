// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels.h"

__global__ void axpy(long n, double a, const double *x, double *y) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i < n) {
    y[i] += a * x[i];
  }
}

__global__ void multiply(long n, const double *a, const double *b, double *c) {
  __shared__ double left[32][33];
  __shared__ double right[32][33];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const long row = blockIdx.y * 32L + y;
  const long column = blockIdx.x * 32L + x;
  double sum = 0;
  for (long k = 0; k < n; k += 32) {
    left[y][x] = a[row * n + k + x];
    right[y][x] = b[(k + y) * n + column];
    __syncthreads();
    for (int inner = 0; inner < 32; ++inner) {
      sum += left[y][inner] * right[inner][x];
    }
    __syncthreads();
  }
  c[row * n + column] += sum;
}

__global__ void spin(long n, long turns, double *y) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  double value = i < n ? y[i] : 0;
  for (long turn = 0; turn < turns; ++turn) {
    value = value * 1.0000001 + 1e-9;
  }
  if (i < n) {
    y[i] = value;
  }
}
