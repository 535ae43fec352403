// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Thousands of launches in changing order, with swapped pointers and growing bounds.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int n = 257;
  double *a = malloc((size_t)n * sizeof *a);
  double *b = malloc((size_t)n * sizeof *b);
  for (int i = 0; i < n; ++i) {
    a[i] = b[i] = i % 10;
  }
  double trace = 0.0;
  for (int step = 0; step < 600; ++step) {
    const int reach = 10 + step % (n - 10);
    const double weight = 0.25 + 0.001 * (step % 5);
#pragma omp parallel for
    for (int i = 1; i < reach - 1; ++i) {
      b[i] = weight * (a[i - 1] + a[i + 1]) + 0.5 * a[i];
    }
    if (step % 7 == 0) {
#pragma omp parallel for
      for (int i = 0; i < n; ++i) {
        a[i] *= 0.999;
      }
    }
    if (step % 11 == 3) {
      trace += b[step % n];
    }
    double *swap = a;
    a = b;
    b = swap;
  }
  double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    sum += a[i] - 0.5 * b[i];
  }
  printf("trace %.9e sum %.9e\n", trace, sum);
  free(a);
  free(b);
  return 0;
}
