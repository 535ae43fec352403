/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels of both programs, as tasks for files in C. */
#if !defined(__CUDACC__) && !defined(__global__)
#define __global__
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* y += a * x */
#pragma oss task device(cuda) ndrange(1, n, 256) in([n] x)inout([n] y)
__global__ void axpy(long n, double a, const double *x, double *y);

/* c += a * b, of tiles of n x n that lie one after the other in memory. */
#pragma oss task device(cuda) ndrange(2, n, n, 32, 32) in([n * n] a) in([n * n] b) inout([n * n] c)
__global__ void multiply(long n, const double *a, const double *b, double *c);

/* Keeps a few multiprocessors busy for a while. */
#pragma oss task device(cuda) ndrange(1, n, 256) inout([n] y)
__global__ void spin(long n, long turns, double *y);

#ifdef __cplusplus
}
#endif
