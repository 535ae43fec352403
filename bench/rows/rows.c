// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A stencil on an array of row pointers (`double **`), or with -DFLAT on one array: what it costs
/// that rows lie anywhere.
///
///   rows [rows [columns [steps]]]
///
/// Prints the sum of all elements, and on stderr microseconds per step, from the difference between
/// `steps` and a tenth of them, once all plans have been made.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef FLAT
typedef double *Matrix;
#define AT(matrix, i, j) (matrix)[(size_t)(i) * (size_t)columns + (size_t)(j)]

static Matrix make(int rows, int columns) {
  return calloc((size_t)rows * (size_t)columns, sizeof(double));
}
#else
typedef double **Matrix;
#define AT(matrix, i, j) (matrix)[i][j]

static Matrix make(int rows, int columns) {
  Matrix matrix = malloc((size_t)rows * sizeof *matrix);
  for (int i = 0; i < rows; ++i) {
    matrix[i] = calloc((size_t)columns, sizeof **matrix);
  }
  return matrix;
}
#endif

static void step(Matrix from, Matrix to, int rows, int columns) {
#pragma omp parallel for
  for (int i = 1; i < rows - 1; ++i) {
    for (int j = 1; j < columns - 1; ++j) {
      AT(to, i, j) = 0.25 * (AT(from, i - 1, j) + AT(from, i + 1, j) + AT(from, i, j - 1) +
                             AT(from, i, j + 1));
    }
  }
}

static double sumOf(Matrix matrix, int rows, int columns) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      sum += AT(matrix, i, j);
    }
  }
  return sum;
}

int main(int argc, char **argv) {
  const int rows = argc > 1 ? atoi(argv[1]) : 1000;
  const int columns = argc > 2 ? atoi(argv[2]) : 1000;
  const int steps = argc > 3 ? atoi(argv[3]) : 100;
  Matrix from = make(rows, columns);
  Matrix to = make(rows, columns);
  for (int j = 0; j < columns; ++j) {
    AT(from, 0, j) = AT(to, 0, j) = 1;
  }
  const int few = steps / 20 * 2; // Even, so that each run begins as the one before did.
  const int many = few * 10;
  const int counts[] = {few, few, few, few, many};

  enum { kRuns = sizeof counts / sizeof *counts };

  double seconds[kRuns];
  double sum = 0;
  for (int run = 0; run < kRuns; ++run) {
    const double begin = omp_get_wtime();
    for (int k = 0; k < counts[run]; ++k) {
      step(from, to, rows, columns);
      const Matrix old = from;
      from = to;
      to = old;
    }
    sum = sumOf(from, rows, columns);
    seconds[run] = omp_get_wtime() - begin;
  }
  printf("%.12g\n", sum);
  fprintf(stderr, "%.2f us per step\n",
          (seconds[kRuns - 1] - seconds[kRuns - 2]) / (many - few) * 1e6);
  return 0;
}
