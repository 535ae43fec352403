/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels of the programs, as tasks for files in C. */
#if !defined(__CUDACC__) && !defined(__global__)
#define __global__
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* y += a * x */
#pragma oss task device(cuda) ndrange(1, n, 256) in([n] x)inout([n] y)
__global__ void axpy(long n, double a, const double *x, double *y);

/* y += a * x, in single precision. */
#pragma oss task device(cuda) ndrange(1, n, 256) in([n] x)inout([n] y)
__global__ void saxpy(long n, float a, const float *x, float *y);

/* a = b + s * c */
#pragma oss task device(cuda) ndrange(1, n, 256) in([n] b)in([n] c)out([n] a)
__global__ void triad(long n, double s, const double *b, const double *c, double *a);

/* What European options are worth at a rate of 2 % and a volatility of 30 %. */
#pragma oss task device(cuda) ndrange(1, n, 256)                                                   \
    in([n] price)in([n] strike)in([n] years)out([n] call) out([n] put)
__global__ void price_options(long n, const float *price, const float *strike, const float *years,
                              float *call, float *put);

/* c += a * b, of tiles of n x n that lie one after the other in memory. */
#pragma oss task device(cuda) ndrange(2, n, n, 32, 32) in([n * n] a) in([n * n] b) inout([n * n] c)
__global__ void multiply(long n, const double *a, const double *b, double *c);

/* c -= a * b^T, of tiles. */
#pragma oss task device(cuda) ndrange(2, n, n, 32, 32) in([n * n] a) in([n * n] b) inout([n * n] c)
__global__ void update(long n, const double *a, const double *b, double *c);

/* The Cholesky factor of a tile, in its lower half. */
#pragma oss task device(cuda) grid(1, 1, 1024) inout([n * n] a)
__global__ void factorise(long n, double *a);

/* b = b * l^-T, of tiles: a group for each row. */
#pragma oss task device(cuda) grid(1, n, 128) shmem(n *(long)sizeof(double)) in([n * n] l)         \
    inout([n * n] b)
__global__ void solve(long n, const double *l, double *b);

/* One step of heat in a chip, of `rows` rows. `from` begins with the row above if there is one
   (`above` is 1), and has the one below if there is one. */
#pragma oss task device(cuda) ndrange(2, columns, rows, 64, 4) in([rows * columns] power)          \
    in([(rows + above + below) * columns] from) out([rows * columns] to)
__global__ void heat(long rows, long columns, long above, long below, const float *power,
                     const float *from, float *to);

/* One step of Jacobi's method for Laplace's equation, likewise; the outermost cells stay. */
#pragma oss task device(cuda) ndrange(2, columns, rows, 64, 4)                                     \
    in([(rows + above + below) * columns] from) out([rows * columns] to)
__global__ void relax(long rows, long columns, long above, long below, const double *from,
                      double *to);

/* Keeps a few multiprocessors busy for a while. */
#pragma oss task device(cuda) ndrange(1, n, 256) inout([n] y)
__global__ void spin(long n, long turns, double *y);

#ifdef __cplusplus
}
#endif
