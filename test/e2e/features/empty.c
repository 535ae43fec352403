// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops of no, one and few iterations.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  double *a = calloc(8, sizeof *a);
  for (int n = 0; n <= 8; ++n) {
    double sum = 1.0;
    int last = -1;
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      a[i] += i + n;
    }
#pragma omp parallel for reduction(+ : sum) lastprivate(last)
    for (int i = 0; i < n; ++i) {
      sum += a[i];
      last = i;
    }
    printf("n %d sum %.2f last %d\n", n, sum, last);
  }
#pragma omp parallel for
  for (int i = 10; i < 3; ++i) {
    a[0] = -1.0;
  }
#pragma omp parallel for
  for (unsigned i = 7; i < 7; ++i) {
    a[1] = -1.0;
  }
#pragma omp parallel for collapse(2)
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 0; ++j) {
      a[2] = -1.0;
    }
  }
  int zero = 0;
#pragma omp parallel for schedule(dynamic, 2)
  for (long i = zero; i > zero; --i) {
    a[3] = -1.0;
  }
  for (int i = 0; i < 8; ++i) {
    printf("%.1f ", a[i]);
  }
  printf("\n");
  free(a);
  return 0;
}
