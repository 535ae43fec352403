// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reductions of arrays, of array sections on the heap and of arrays of run-time size.
#include <stdio.h>
#include <stdlib.h>

enum { BINS = 10, ROWS = 3, COLUMNS = 4, LEVELS = 256 };

static long global_bins[BINS];

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 2000;
  const int bins = 8 + n % 5;
  int fixed[BINS] = {1, 1};
  double matrix[ROWS][COLUMNS] = {{0.0}};
  double *section = calloc((size_t)bins, sizeof *section);
  double variable[bins];
  for (int k = 0; k < bins; ++k) {
    variable[k] = k;
  }
#pragma omp parallel for reduction(+ : fixed, matrix, global_bins)
  for (int i = 0; i < n; ++i) {
    ++fixed[(i * 7) % BINS];
    matrix[i % ROWS][i % COLUMNS] += i;
    global_bins[i * 3 % BINS] += i;
  }
#pragma omp parallel for reduction(+ : section[0 : bins]) reduction(max : variable[ : bins])
  for (int i = 0; i < n; ++i) {
    section[i % bins] += 0.5 * i;
    if (variable[i % bins] < i % 100) {
      variable[i % bins] = i % 100;
    }
  }
#pragma omp parallel for reduction(+ : section[2 : 3])
  for (int i = 0; i < n; ++i) {
    section[2 + i % 3] += 1.0;
  }
  int histogram[LEVELS] = {7};
#pragma omp parallel for reduction(+ : histogram)
  for (int i = 0; i < n; ++i) {
    ++histogram[(i * i / 3 + 5 * i) % LEVELS];
  }
  long weighted = 0;
  for (int k = 0; k < LEVELS; ++k) {
    weighted += (long)k * k * histogram[k];
  }
  printf("%d %ld\n", histogram[0], weighted);
  for (int k = 0; k < BINS; ++k) {
    printf("%d %ld ", fixed[k], global_bins[k]);
  }
  printf("\n");
  for (int r = 0; r < ROWS; ++r) {
    for (int c = 0; c < COLUMNS; ++c) {
      printf("%.1f ", matrix[r][c]);
    }
  }
  printf("\n");
  for (int k = 0; k < bins; ++k) {
    printf("%.2f %.2f ", section[k], variable[k]);
  }
  printf("\n");
  free(section);
  return 0;
}
