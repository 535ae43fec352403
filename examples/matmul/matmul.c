// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Product of two square matrices, and of the result with a vector.
///
/// usage: matmul [n] [repetitions]
#include <stdio.h>
#include <stdlib.h>

static void multiply(int n, const double *restrict a, const double *restrict b,
                     double *restrict c) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      c[(size_t)i * n + j] = 0.0;
    }
    for (int k = 0; k < n; ++k) {
      const double factor = a[(size_t)i * n + k];
      for (int j = 0; j < n; ++j) {
        c[(size_t)i * n + j] += factor * b[(size_t)k * n + j];
      }
    }
  }
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 256;
  const int repetitions = argc > 2 ? atoi(argv[2]) : 2;
  const size_t bytes = (size_t)n * n * sizeof(double);
  double *a = malloc(bytes);
  double *b = malloc(bytes);
  double *c = malloc(bytes);
  double *x = malloc((size_t)n * sizeof *x);
  double *y = malloc((size_t)n * sizeof *y);
  if (a == NULL || b == NULL || c == NULL || x == NULL || y == NULL) {
    fprintf(stderr, "matmul: no memory for n = %d\n", n);
    return 1;
  }

#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      a[(size_t)i * n + j] = (double)((i + 2 * j) % 17) / 17.0;
      b[(size_t)i * n + j] = (double)((3 * i + j) % 13) / 13.0;
    }
    x[i] = 1.0 / (i + 1);
  }
  for (int r = 0; r < repetitions; ++r) {
    multiply(n, a, b, c);
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double dot = 0.0;
    for (int j = 0; j < n; ++j) {
      dot += c[(size_t)i * n + j] * x[j];
    }
    y[i] = dot;
  }

  double trace = 0.0;
#pragma omp parallel for reduction(+ : trace)
  for (int i = 0; i < n; ++i) {
    trace += c[(size_t)i * n + i];
  }
  double checksum = 0.0;
  for (int i = 0; i < n; ++i) {
    checksum += y[i];
  }
  printf("matmul %d, %d repetitions\n", n, repetitions);
  printf("trace %.9e\n", trace);
  printf("checksum %.9e\n", checksum);
  free(a);
  free(b);
  free(c);
  free(x);
  free(y);
  return 0;
}
