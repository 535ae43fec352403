// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// examples/stream with OpenMP's own directives for devices; see jacobi.c.
///
/// usage: stream [elements] [repetitions]
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "spread.h"

static double once(long n, double scalar, double *restrict a, double *restrict b,
                   double *restrict c) {
#pragma omp SPREAD map(present, alloc : a[0 : n], c[0 : n])
  for (long i = 0; i < n; ++i) {
    c[i] = a[i];
  }
#pragma omp SPREAD map(present, alloc : b[0 : n], c[0 : n])
  for (long i = 0; i < n; ++i) {
    b[i] = scalar * c[i];
  }
#pragma omp SPREAD map(present, alloc : a[0 : n], b[0 : n], c[0 : n])
  for (long i = 0; i < n; ++i) {
    c[i] = a[i] + b[i];
  }
#pragma omp SPREAD map(present, alloc : a[0 : n], b[0 : n], c[0 : n])
  for (long i = 0; i < n; ++i) {
    a[i] = b[i] + scalar * c[i];
  }
  double dot = 0.0;
#pragma omp SPREAD reduction(+ : dot) map(present, alloc : a[0 : n], b[0 : n])
  for (long i = 0; i < n; ++i) {
    dot += a[i] * b[i];
  }
  return dot;
}

int main(int argc, char **argv) {
  const long n = argc > 1 ? atol(argv[1]) : 1000000;
  const int repetitions = argc > 2 ? atoi(argv[2]) : 10;
  double *a = malloc((size_t)n * sizeof *a);
  double *b = malloc((size_t)n * sizeof *b);
  double *c = malloc((size_t)n * sizeof *c);
  if (a == NULL || b == NULL || c == NULL || omp_get_num_devices() < 1) {
    fprintf(stderr, "stream: no memory or no device\n");
    return 1;
  }
  double dot = 0.0;
  double seconds = 0.0;
  for (int isTimed = 0; isTimed < 2; ++isTimed) { // Once to warm up, from the same numbers.
    for (long i = 0; i < n; ++i) {
      a[i] = 1.0 + (double)(i % 3);
      b[i] = 2.0;
      c[i] = 0.0;
    }
#pragma omp target data map(tofrom : a[0 : n], b[0 : n], c[0 : n])
    {
      const double begin = omp_get_wtime();
      for (int r = 0; r < (isTimed ? repetitions : 1); ++r) {
        dot = once(n, 0.4, a, b, c);
      }
      seconds = (omp_get_wtime() - begin) / repetitions;
    }
  }
  printf("stream %ld %d %.6e %.2f GB/s %.9e\n", n, repetitions, seconds,
         12.0 * sizeof(double) * (double)n / seconds * 1e-9, dot);
  return 0;
}
