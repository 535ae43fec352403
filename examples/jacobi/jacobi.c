// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Laplace's equation on a rectangle by Jacobi's method: a warm edge heats a cold plate.
///
/// usage: jacobi [rows] [columns] [iterations]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double sweep(int rows, int columns, const double *restrict old, double *restrict new) {
  double residual = 0.0;
#pragma omp parallel for reduction(+ : residual)
  for (int i = 1; i < rows - 1; ++i) {
    for (int j = 1; j < columns - 1; ++j) {
      const size_t at = (size_t)i * columns + j;
      new[at] = 0.25 * (old[at - columns] + old[at + columns] + old[at - 1] + old[at + 1]);
      const double change = new[at] - old[at];
      residual += change * change;
    }
  }
  return sqrt(residual);
}

static void heatTopEdge(int rows, int columns, double *grid) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      grid[(size_t)i * columns + j] = i == 0 ? 1.0 : 0.0;
    }
  }
}

int main(int argc, char **argv) {
  const int rows = argc > 1 ? atoi(argv[1]) : 512;
  const int columns = argc > 2 ? atoi(argv[2]) : rows;
  const int iterations = argc > 3 ? atoi(argv[3]) : 100;
  const size_t bytes = (size_t)rows * columns * sizeof(double);
  double *old = malloc(bytes);
  double *new = malloc(bytes);
  if (old == NULL || new == NULL) {
    fprintf(stderr, "jacobi: no memory for %d x %d points\n", rows, columns);
    return 1;
  }

  heatTopEdge(rows, columns, old);
  heatTopEdge(rows, columns, new);
  double residual = 0.0;
  for (int k = 0; k < iterations; ++k) {
    residual = sweep(rows, columns, old, new);
    double *swap = old;
    old = new;
    new = swap;
  }

  double checksum = 0.0;
  for (size_t at = 0; at < (size_t)rows * columns; ++at) {
    checksum += old[at] * (double)(at % 7 + 1);
  }
  printf("jacobi %d x %d, %d iterations\n", rows, columns, iterations);
  printf("residual %.9e\n", residual);
  printf("checksum %.9e\n", checksum);
  free(old);
  free(new);
  return 0;
}
