// A triangle, whose later rows take longer, and a loop of the same length whose rows do not:
// launches enough that parts are timed and borders move.
#include <stdio.h>
#include <stdlib.h>

enum { kRows = 1500, kSteps = 150 };

int main(void) {
  double *row = malloc(kRows * sizeof *row), *other = malloc(kRows * sizeof *other);
  long counted = 0;
  for (int i = 0; i < kRows; ++i) {
    row[i] = i;
    other[i] = 0;
  }
  for (int step = 0; step < kSteps; ++step) {
#pragma omp parallel for reduction(+ : counted)
    for (int i = 0; i < kRows; ++i) {
      double x = row[i];
      for (int j = 0; j < i; ++j) {
        x = x * 0.999 + 0.001 * j;
        counted += j & 1;
      }
      row[i] = x;
    }
#pragma omp parallel for
    for (int i = 0; i < kRows; ++i) {
      other[i] += row[i];
    }
  }
  double sum = 0;
  for (int i = 0; i < kRows; ++i) {
    sum += row[i] + other[i];
  }
  printf("%.9g %ld\n", sum, counted);
  free(row);
  free(other);
  return 0;
}
