// A time step in one construct: loops that any thread may execute, and one whose iterations wait for each other
// by flags, which stays where the flags are.
#include <stdio.h>
#include <stdlib.h>

enum { kRows = 24, kColumns = 200 };

int main(void) {
  double (*a)[kColumns] = malloc(kRows * sizeof *a), (*b)[kColumns] = malloc(kRows * sizeof *b);
  volatile int *done = calloc(kRows, sizeof *done);
  double sum = 0;
  for (int i = 0; i < kRows; i++)
    for (int k = 0; k < kColumns; k++) a[i][k] = (i * 31 + k * 7) % 23 * 0.125;
#pragma omp parallel
  for (int t = 0; t < 6; t++) {
#pragma omp for
    for (int i = 0; i < kRows; i++) {
      for (int k = 0; k < kColumns; k++) b[i][k] = a[i][k] * 0.5 + k % 3;
      done[i] = 0;
    }
#pragma omp for schedule(static)
    for (int i = 0; i < kRows; i++) {
      while (i > 0 && !done[i - 1]) {
#pragma omp flush
      }
      for (int k = 1; k < kColumns; k++) b[i][k] = 0.25 * (b[i][k] + b[i][k - 1] + (i > 0 ? b[i - 1][k] : 1));
#pragma omp flush
      done[i] = 1;
#pragma omp flush
    }
#pragma omp for
    for (int i = 0; i < kRows; i++)
      for (int k = 0; k < kColumns; k++) a[i][k] += b[i][k];
#pragma omp single
    sum += a[t][t * 9];
  }
  for (int i = 0; i < kRows; i++)
    for (int k = 0; k < kColumns; k++) sum += a[i][k];
  printf("%.9f\n", sum);
}
