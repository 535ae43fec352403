// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Private and linear variables of every shape.
#include <stdio.h>
#include <stdlib.h>

struct point {
  double x, y;
};

int main(void) {
  const int n = 500;
  double *a = malloc((size_t)n * sizeof *a);
  double t = -1.0;
  int window[4] = {9, 9, 9, 9};
  struct point p = {7.0, 8.0};
#pragma omp parallel for private(t, window, p)
  for (int i = 0; i < n; ++i) {
    t = i * 0.25;
    for (int k = 0; k < 4; ++k) {
      window[k] = i + k;
    }
    p.x = t * t;
    p.y = window[3] - window[0];
    a[i] = p.x + p.y + window[2];
  }
  printf("after %.3f %d %.3f %.3f\n", t, window[2], p.x, p.y);

  int j = 0;
#pragma omp parallel for linear(j : 2)
  for (int i = 0; i < n; ++i) {
    a[i] += j;
    j += 2;
  }
  printf("linear %d\n", j);
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    sum += a[i] * (i % 5);
  }
  printf("sum %.6f\n", sum);
  free(a);
  return 0;
}
