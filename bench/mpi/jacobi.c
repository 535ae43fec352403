// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// examples/jacobi with MPI by hand: blocks of rows, one ghost row on either side.
#include <math.h>

#include "parallel.h"

/// Rows [lower - 1, upper + 1) of the grid are in `old` and `new`, which point to row 0.
static double sweep(Block own, int columns, const double *restrict old, double *restrict new) {
  double residual = 0.0;
#pragma omp parallel for reduction(+ : residual)
  for (long i = own.lower; i < own.upper; ++i) {
    for (int j = 1; j < columns - 1; ++j) {
      const size_t at = (size_t)i * columns + j;
      new[at] = 0.25 * (old[at - columns] + old[at + columns] + old[at - 1] + old[at + 1]);
      const double change = new[at] - old[at];
      residual += change * change;
    }
  }
  return residual;
}

int main(int argc, char **argv) {
  start(&argc, &argv);
  const int rows = argc > 1 ? atoi(argv[1]) : 512;
  const int columns = argc > 2 ? atoi(argv[2]) : rows;
  const int iterations = argc > 3 ? atoi(argv[3]) : 100;
  double *old = malloc((size_t)rows * columns * sizeof *old);
  double *new = malloc((size_t)rows * columns * sizeof *new);
  Block own = blockOf(rank, rows - 2);
  ++own.lower;
  ++own.upper;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      old[(size_t)i * columns + j] = new[(size_t)i * columns + j] = i == 0 ? 1.0 : 0.0;
    }
  }

  double residual = 0.0;
  for (int k = 0; k < iterations; ++k) {
    if (k > 0) {
      double *first = old + own.lower * columns + 1;
      double *last = old + (own.upper - 1) * columns + 1;
      exchange(rank - 1, first, first - columns, columns - 2);
      exchange(rank + 1, last, last + columns, columns - 2);
    }
    residual = sqrt(sumToZero(sweep(own, columns, old, new)));
    double *swap = old;
    old = new;
    new = swap;
  }

  gatherToZero(old + columns, rows - 2, columns);
  if (rank == 0) {
    double checksum = 0.0;
    for (size_t at = 0; at < (size_t)rows * columns; ++at) {
      checksum += old[at] * (double)(at % 7 + 1);
    }
    printf("jacobi %d x %d, %d iterations\n", rows, columns, iterations);
    printf("residual %.9e\n", residual);
    printf("checksum %.9e\n", checksum);
  }
  free(old);
  free(new);
  finish();
  return 0;
}
