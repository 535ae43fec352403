// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Arrays of run-time shape as variables, parameters and pointers to rows.
#include <stdio.h>
#include <stdlib.h>

static void fill(int rows, int columns, double a[rows][columns], double start) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      a[i][j] = start + i * columns + j;
    }
  }
}

static double sum3(int n, double (*a)[n][n]) {
  double sum = 0.0;
#pragma omp parallel for collapse(2) reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        sum += a[i][j][k] * (k + 1);
      }
    }
  }
  return sum;
}

int main(int argc, char **argv) {
  (void)argv;
  const int rows = 37 + argc;
  const int columns = 29;
  double local[rows][columns];
  double(*heap)[columns] = malloc((size_t)rows * sizeof *heap);
  const int n = 12 + argc;
  double(*cube)[n][n] = malloc((size_t)n * sizeof *cube);
  fill(rows, columns, local, 1.0);
  fill(rows, columns, heap, 2.0);
  for (int i = 0; i < n; ++i) {
    fill(n, n, cube[i], i);
  }
#pragma omp parallel for
  for (int i = 1; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      heap[i][j] -= local[i - 1][j] * 0.5;
    }
  }
#pragma omp parallel for
  for (int j = 0; j < columns; ++j) {
    local[rows - 1][j] = heap[0][columns - 1 - j];
  }
  double sum = 0.0;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      sum += local[i][j] * 2.0 + heap[i][j];
    }
  }
  printf("planes %.3f cube %.3f\n", sum, sum3(n, cube));
  free(heap);
  free(cube);
  return 0;
}
