// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "axpy.h"

#ifdef WITH_FACTOR
__constant__ double factor = FACTOR;
#else
#define factor 1
#endif

__global__ void axpy(long n, double a, const double *x, double *y) {
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i < n) {
    y[i] += factor * a * x[i];
  }
}
#pragma oss taskwait
