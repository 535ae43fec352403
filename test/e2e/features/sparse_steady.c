// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARGS: 4 4 40000 2
/// \file
/// A sparse matrix times a vector, again and again: first with the same vector, then with one that
/// each product changes. What that moves is asserted in counters.py. With a number of rows all of
/// them read the same twentieth of the vector, and another one after each of the first `moves`
/// products.
#include <stdio.h>
#include <stdlib.h>

enum { PER_ROW = 4 };

int main(int argc, char **argv) {
  const int same = argc > 1 ? atoi(argv[1]) : 1;
  const int changed = argc > 2 ? atoi(argv[2]) : 1;
  const int rows = argc > 3 ? atoi(argv[3]) : 6000;
  const int width = argc > 3 ? rows / 20 : rows;
  const int moves = argc > 4 ? atoi(argv[4]) : 0;
  int *start = malloc((rows + 1) * sizeof *start);
  int *column = malloc((size_t)rows * PER_ROW * sizeof *column);
  double *value = malloc((size_t)rows * PER_ROW * sizeof *value);
  double *x = malloc(rows * sizeof *x);
  double *y = malloc(rows * sizeof *y);
  for (int i = 0; i <= rows; ++i) {
    start[i] = i * PER_ROW;
  }
  for (int k = 0; k < rows * PER_ROW; ++k) {
    column[k] = (int)((k * 7919L % width + rows / 2) % rows);
    value[k] = 0.2 + k % 3 * 0.01;
  }
  for (int i = 0; i < rows; ++i) {
    x[i] = i % 10;
  }
  for (int step = 0; step < same + changed; ++step) {
    for (int k = 0; step > 0 && step <= moves && k < rows * PER_ROW; ++k) {
      column[k] = (column[k] + rows / 3) % rows;
    }
#pragma omp parallel for
    for (int i = 0; i < rows; ++i) {
      double sum = 0.0;
      for (int k = start[i]; k < start[i + 1]; ++k) {
        sum += value[k] * x[column[k]];
      }
      y[i] = sum;
    }
    if (step >= same) {
#pragma omp parallel for
      for (int i = 0; i < rows; ++i) {
        x[i] = 0.9 * y[i] + 0.1;
      }
    }
  }
  double sum = 0.0;
  for (int i = 0; i < rows; ++i) {
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
