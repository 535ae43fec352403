// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARGS: 5 5
/// \file
/// A sparse matrix times a vector, again and again: first with the same vector, then with one that
/// each product changes. What that moves is asserted in counters.py.
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 6000, PER_ROW = 4 };

int main(int argc, char **argv) {
  const int same = argc > 1 ? atoi(argv[1]) : 1;
  const int changed = argc > 2 ? atoi(argv[2]) : 1;
  int *start = malloc((ROWS + 1) * sizeof *start);
  int *column = malloc(ROWS * PER_ROW * sizeof *column);
  double *value = malloc(ROWS * PER_ROW * sizeof *value);
  double *x = malloc(ROWS * sizeof *x);
  double *y = malloc(ROWS * sizeof *y);
  for (int i = 0; i <= ROWS; ++i) {
    start[i] = i * PER_ROW;
  }
  for (int k = 0; k < ROWS * PER_ROW; ++k) {
    column[k] = (int)(k * 7919L % ROWS);
    value[k] = 0.2 + k % 3 * 0.01;
  }
  for (int i = 0; i < ROWS; ++i) {
    x[i] = i % 10;
  }
  for (int step = 0; step < same + changed; ++step) {
#pragma omp parallel for
    for (int i = 0; i < ROWS; ++i) {
      double sum = 0.0;
      for (int k = start[i]; k < start[i + 1]; ++k) {
        sum += value[k] * x[column[k]];
      }
      y[i] = sum;
    }
    if (step >= same) {
#pragma omp parallel for
      for (int i = 0; i < ROWS; ++i) {
        x[i] = 0.9 * y[i] + 0.1;
      }
    }
  }
  double sum = 0.0;
  for (int i = 0; i < ROWS; ++i) {
    sum += y[i] * (i % 7);
  }
  printf("%.9f\n", sum);
  free(start);
  free(column);
  free(value);
  free(x);
  free(y);
  return 0;
}
