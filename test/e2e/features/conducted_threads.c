// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Constructs around a loop over time that ask for a number of threads, known or not, and for a
/// binding; loops behind them ask for nothing.
#include <stdio.h>
#include <stdlib.h>

static void steps(double *a, double *b, int n, int threads) {
#pragma omp parallel num_threads(threads) proc_bind(close)
  for (int t = 0; t < 5; ++t) {
#pragma omp for
    for (int i = 1; i < n - 1; ++i) {
      b[i] = a[i - 1] + a[i + 1];
    }
#pragma omp for
    for (int i = 1; i < n - 1; ++i) {
      a[i] = 0.5 * b[i];
    }
  }
}

static double sum(const double *a, int n) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; ++i) {
    s += a[i];
  }
  return s;
}

int main(void) {
  const int n = 4000;
  double *a = malloc(sizeof *a * n), *b = calloc(n, sizeof *b), scale = 1;
  for (int i = 0; i < n; ++i) {
    a[i] = i % 13;
  }
  for (int threads = 2; threads < 5; ++threads) {
    steps(a, b, n, threads);
    printf("%.6f\n", sum(a, n));
  }
#pragma omp parallel num_threads(3) if (n > 100)
  for (int t = 0; t < 2; ++t) {
#pragma omp for
    for (int i = 0; i < n; ++i) {
      a[i] *= scale;
    }
#pragma omp single
    scale = 0.5;
  }
  printf("%.6f\n", sum(a, n));
  free(a);
  free(b);
}
