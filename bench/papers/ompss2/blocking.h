/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The kernels as older task runtimes ran them: each call copies what it names to the device,
   launches, copies back what it has written, and waits. */
#pragma once
#ifdef __cplusplus
extern "C" {
#endif

#define KERNEL(name) name##_blocking

void saxpy_blocking(long n, float a, const float *x, float *y);
void triad_blocking(long n, double s, const double *b, const double *c, double *a);
void price_options_blocking(long n, const float *price, const float *strike, const float *years,
                            float *call, float *put);
void multiply_blocking(long n, const double *a, const double *b, double *c);
void update_blocking(long n, const double *a, const double *b, double *c);
void factorise_blocking(long n, double *a);
void solve_blocking(long n, const double *l, double *b);
void heat_blocking(long rows, long columns, long above, long below, const float *power,
                   const float *from, float *to);
void relax_blocking(long rows, long columns, long above, long below, const double *from,
                    double *to);

#ifdef __cplusplus
}
#endif
