// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// examples/matmul with OpenMP's own directives for devices; see jacobi.c. An element per thread,
/// with its sum in a register: the example's i-k-j order would leave a row to each.
///
/// usage: matmul [n] [repetitions]
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "spread.h"

static void multiply(int n, const double *restrict a, const double *restrict b,
                     double *restrict c) {
  const size_t points = (size_t)n * n;
#pragma omp SPREAD collapse(2) map(present, alloc : a[0 : points], b[0 : points], c[0 : points])
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = 0.0;
      for (int k = 0; k < n; ++k) {
        sum += a[(size_t)i * n + k] * b[(size_t)k * n + j];
      }
      c[(size_t)i * n + j] = sum;
    }
  }
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 256;
  const int repetitions = argc > 2 ? atoi(argv[2]) : 2;
  const size_t points = (size_t)n * n;
  double *a = malloc(points * sizeof *a);
  double *b = malloc(points * sizeof *b);
  double *c = malloc(points * sizeof *c);
  if (a == NULL || b == NULL || c == NULL || omp_get_num_devices() < 1) {
    fprintf(stderr, "matmul: no memory or no device\n");
    return 1;
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      a[(size_t)i * n + j] = (double)((i + 2 * j) % 17) / 17.0;
      b[(size_t)i * n + j] = (double)((3 * i + j) % 13) / 13.0;
    }
  }
  double seconds = 0.0;
#pragma omp target data map(to : a[0 : points], b[0 : points]) map(from : c[0 : points])
  {
    multiply(n, a, b, c); // Warms up; the loop does it again.
    const double begin = omp_get_wtime();
    for (int r = 0; r < repetitions; ++r) {
      multiply(n, a, b, c);
    }
    seconds = (omp_get_wtime() - begin) / repetitions;
  }
  double trace = 0.0;
  for (int i = 0; i < n; ++i) {
    trace += c[(size_t)i * n + i];
  }
  printf("matmul %d %d %.6e %.2f GFLOP/s %.9e\n", n, repetitions, seconds,
         2.0 * n * (double)points / seconds * 1e-9, trace);
  return 0;
}
