// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Memory bandwidth kernels: copy, scale, add, triad and dot.
///
/// usage: stream [elements] [repetitions]
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  const long n = argc > 1 ? atol(argv[1]) : 1000000;
  const int repetitions = argc > 2 ? atoi(argv[2]) : 10;
  const double scalar = 0.4;
  double *a = malloc((size_t)n * sizeof *a);
  double *b = malloc((size_t)n * sizeof *b);
  double *c = malloc((size_t)n * sizeof *c);
  if (a == NULL || b == NULL || c == NULL) {
    fprintf(stderr, "stream: no memory for %ld elements\n", n);
    return 1;
  }

#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    a[i] = 1.0 + (double)(i % 3);
    b[i] = 2.0;
    c[i] = 0.0;
  }
  double dot = 0.0;
  for (int r = 0; r < repetitions; ++r) {
#pragma omp parallel for
    for (long i = 0; i < n; ++i) {
      c[i] = a[i];
    }
#pragma omp parallel for
    for (long i = 0; i < n; ++i) {
      b[i] = scalar * c[i];
    }
#pragma omp parallel for
    for (long i = 0; i < n; ++i) {
      c[i] = a[i] + b[i];
    }
#pragma omp parallel for
    for (long i = 0; i < n; ++i) {
      a[i] = b[i] + scalar * c[i];
    }
    dot = 0.0;
#pragma omp parallel for reduction(+ : dot)
    for (long i = 0; i < n; ++i) {
      dot += a[i] * b[i];
    }
  }

  printf("stream %ld elements, %d repetitions\n", n, repetitions);
  printf("dot %.9e\n", dot);
  for (long i = 0; i < n; i += n / 3 + 1) {
    printf("at %ld: %.9e %.9e %.9e\n", i, a[i], b[i], c[i]);
  }
  free(a);
  free(b);
  free(c);
  return 0;
}
