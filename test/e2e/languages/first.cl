// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__kernel void axpy(long n, double a, __global const double *x, __global double *y) {
  const long i = get_global_id(0);
  if (i < n) {
    y[i] += a * x[i];
  }
}
