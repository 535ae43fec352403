// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What debuggers are told of a program takes nothing from what is distributed: loops of one
/// construct, captures by value, teams.
// FLAGS: -O2 -g
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static void both(int n, double *x, double *r) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < n; ++i) {
      x[i] += 2;
    }
#pragma omp for
    for (int i = 0; i < n; ++i) {
      r[i] -= 3;
    }
  }
}

static void captured(int n, double *x, float f, char c, bool adds) {
#pragma omp parallel for firstprivate(n, f, c, adds)
  for (int i = 0; i < n; ++i) {
    x[i] = adds ? x[i] + f * c : 0.0;
  }
}

static void teams(int n, double *x, double by) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n]) firstprivate(by)
  for (int i = 0; i < n; ++i) {
    x[i] /= by;
  }
}

int main(void) {
  const int n = 100000;
  double *x = calloc(n, sizeof *x);
  double *r = calloc(n, sizeof *r);
  both(n, x, r);
  captured(n, x, 0.5F, 6, true);
  captured(n / 2, r, 0.5F, 6, false);
  teams(n, r, 4.0);
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += x[i] + r[i];
  }
  printf("%.2f %.2f %.2f\n", sum, r[n / 2 - 1], r[n / 2]);
  return 0;
}
