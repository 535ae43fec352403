// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Arrays that overlap, pointers into the middle, in-place updates of one array.
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static void add(int n, double *to, const double *from) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    to[i] += from[i];
  }
}

int main(void) {
  const int n = 1000;
  double *a = malloc(2 * (size_t)n * sizeof *a);
#pragma omp parallel for
  for (int i = 0; i < 2 * n; ++i) {
    a[i] = i % 21;
  }
  add(n, a, a);
  add(n, a, a + n);
  add(n / 2, a + n, a + n / 2);
  add(n / 2, a + 100, a + n);
  double *middle = a + n;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    middle[-i - 1] += middle[i];
  }
  char *bytes = (char *)a;
#pragma omp parallel for
  for (int i = 0; i < 100; ++i) {
    ((float *)(bytes + 800))[i] = (float)i;
  }
  double sum = 0.0;
  for (int i = 0; i < 2 * n; ++i) {
    if (i < 100 || i >= 150) {
      sum += a[i] * (i % 5);
    }
  }
  for (int i = 0; i < 100; ++i) {
    sum += ((float *)(bytes + 800))[i];
  }
  printf("sum %.9f\n", sum);
  free(a);
  return 0;
}
