// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// examples/jacobi with OpenMP's own directives for devices, as somebody would write it for clang's
/// offloading: the best that it can do, not what an unmodified program gets. Prints the line of
/// bench/cuda.
///
/// usage: jacobi [rows] [columns] [iterations]
/// -DREAL=float -DNAME=... when compiling: single precision.
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "spread.h"

#ifndef REAL
#define REAL double
#define NAME "jacobi"
#endif

static double sweep(int rows, int columns, const REAL *restrict old, REAL *restrict new) {
  const size_t points = (size_t)rows * columns;
  REAL residual = 0;
#pragma omp SPREAD collapse(2) reduction(+ : residual)                                             \
    map(present, alloc : old[0 : points], new[0 : points])
  for (int i = 1; i < rows - 1; ++i) {
    for (int j = 1; j < columns - 1; ++j) {
      const size_t at = (size_t)i * columns + j;
      const REAL value =
          (REAL)0.25 * (old[at - columns] + old[at + columns] + old[at - 1] + old[at + 1]);
      const REAL change = value - old[at];
      new[at] = value;
      residual += change * change;
    }
  }
  return sqrt(residual);
}

int main(int argc, char **argv) {
  const int rows = argc > 1 ? atoi(argv[1]) : 512;
  const int columns = argc > 2 ? atoi(argv[2]) : rows;
  const int iterations = argc > 3 ? atoi(argv[3]) : 100;
  const size_t points = (size_t)rows * columns;
  REAL *old = malloc(points * sizeof *old);
  REAL *new = malloc(points * sizeof *new);
  if (old == NULL || new == NULL || omp_get_num_devices() < 1) {
    fprintf(stderr, "jacobi: no memory or no device\n");
    return 1;
  }
  for (size_t at = 0; at < points; ++at) {
    old[at] = new[at] = at < (size_t)columns ? 1.0 : 0.0;
  }
  double residual = 0.0;
  double seconds = 0.0;
#pragma omp target data map(tofrom : old[0 : points], new[0 : points])
  {
    sweep(rows, columns, old, new); // Warms up; the loop does it again.
    const double begin = omp_get_wtime();
    for (int k = 0; k < iterations; ++k) {
      residual = sweep(rows, columns, old, new);
      REAL *swap = old;
      old = new;
      new = swap;
    }
    seconds = (omp_get_wtime() - begin) / iterations;
  }
  printf(NAME " %d %d %.6e %.2f GB/s %.9e\n", rows, iterations, seconds,
         2.0 * sizeof(REAL) * (double)points / seconds * 1e-9, residual);
  return 0;
}
