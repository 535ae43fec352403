// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Library functions that look at texts of the thread's own, and clocks.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  const int n = 3000;
  long *a = malloc(sizeof *a * n), sum = 0;
  double *spent = malloc(sizeof *spent * n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    char text[8] = {(char)('0' + i % 10), (char)('0' + i % 7), 0};
    a[i] = atoi(text) + 100 * strtol(text, NULL, 16) + 100000 * (long)strlen(text) +
           1000000 * (strcmp(text, "33") < 0);
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const double begin = omp_get_wtime();
    a[i] += 3;
    spent[i] = omp_get_wtime() - begin;
  }
  for (int i = 0; i < n; ++i) {
    sum += a[i] * (i % 5) + (spent[i] < 0);
  }
  printf("%ld\n", sum);
  free(a);
  free(spent);
}
