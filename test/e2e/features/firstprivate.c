// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Firstprivate scalars, arrays and structs start with their values and keep them outside.
#include <stdio.h>
#include <stdlib.h>

struct parameters {
  double scale;
  int shift[3];
  double *table;
};

int main(void) {
  const int n = 321;
  double *a = malloc((size_t)n * sizeof *a);
  double *table = malloc(8 * sizeof *table);
  for (int k = 0; k < 8; ++k) {
    table[k] = 1.0 / (k + 1);
  }
  int start = 5;
  float ratio = 0.5f;
  double weights[6] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
  struct parameters set = {2.5, {1, 2, 3}, table};
#pragma omp parallel for firstprivate(start, ratio, weights, set)
  for (int i = 0; i < n; ++i) {
    a[i] = start + ratio * weights[i % 6] + set.scale * set.shift[i % 3] + set.table[i % 8];
  }
  printf("kept %d %.2f %.2f %.2f\n", start, ratio, weights[5], set.scale);

  const int length = 10 + n % 3;
  double row[length];
  for (int k = 0; k < length; ++k) {
    row[k] = k * k;
  }
#pragma omp parallel for firstprivate(row)
  for (int i = 0; i < n; ++i) {
    row[0] = i;
    a[i] += row[0] + row[i % length];
  }
  printf("row %.2f\n", row[0]);
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    sum += a[i] * (i % 7);
  }
  printf("sum %.6f\n", sum);
  free(table);
  free(a);
  return 0;
}
