// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Sequential code between loops reads and writes what the loops compute.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  const int n = 3000;
  double *a = malloc((size_t)n * sizeof *a);
  double *b = malloc((size_t)n * sizeof *b);
  int flags[17];
  double norm = 1.0;
  for (int i = 0; i < n; ++i) {
    a[i] = i % 10;
  }
  for (int step = 0; step < 12; ++step) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      b[i] = a[i] * 0.5 + norm;
    }
    b[step * 100] = -5.0;
    b[n - 1 - step] += 2.0;
#pragma omp parallel for
    for (int i = 1; i < n - 1; ++i) {
      a[i] = b[i - 1] + b[i + 1];
    }
    if (step % 3 == 0) {
      a[0] = b[n / 2];
      a[n - 1] = b[1];
    }
    if (step % 4 == 1) {
      memcpy(a + 100, b + 500, 700 * sizeof *a);
      memset(b, 0, 64 * sizeof *b);
    }
    if (step % 5 == 2) {
      memmove(a + 3, a, 1500 * sizeof *a);
    }
#pragma omp parallel for
    for (int k = 0; k < 17; ++k) {
      flags[k] = a[k * 50] > 3.0;
    }
    int count = 0;
    for (int k = 0; k < 17; ++k) {
      count += flags[k];
    }
    norm = count * 0.01 + a[step * 37] * 0.001;
    printf("step %d: %d %.9f\n", step, count, norm);
  }
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    sum += a[i] * (i % 3) + b[i];
  }
  printf("sum %.9e\n", sum);
  free(a);
  free(b);
  return 0;
}
