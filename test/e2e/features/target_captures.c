// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What target regions capture by value, and constructs in several parts.
#include <stdio.h>
#include <stdlib.h>

struct P {
  double w[6];
  int k;
};

void f(int n, double *y, struct P p, unsigned lo) {
  double t[3] = {1, 2, 3};
  float q = 1.5f;
  short s = 3;
  unsigned char c = 7;
  _Bool b = n > 3;
#pragma omp target teams distribute parallel for firstprivate(t, p)
  for (int i = 0; i < n; ++i) {
    y[i] += t[i % 3] * q + s + c + b + p.w[i % 6] + p.k;
  }
#pragma omp target teams distribute parallel for private(t)
  for (unsigned i = lo; i < (unsigned)n; i += 3) {
    t[0] = i;
    t[1] = y[i];
    y[i] = t[0] + t[1];
  }
#pragma omp target teams distribute parallel for
  for (long i = n - 1; i >= 0; i -= 2) {
    y[i] *= 2;
  }
#pragma omp target map(y[ : n])
  {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      y[i] += 1;
    }
    y[0] = 5;
#pragma omp parallel for schedule(dynamic, 5)
    for (int i = 1; i < n; i++) {
      y[i] += y[0];
    }
  }
#pragma omp target teams num_teams(2)
  {
#pragma omp distribute parallel for
    for (int i = 0; i < n; i++) {
      y[i] += 1;
    }
  }
#pragma omp target teams distribute num_teams(1)
  for (int i = 1; i < n; i++) {
    y[i] += 0.5 * y[i - 1];
  }
#pragma omp target teams distribute parallel for if (target : n > 100) if (parallel : n > 50)
  for (int i = 0; i < n; i++) {
    y[i] += 1;
  }
#pragma omp target
#pragma omp teams
#pragma omp distribute parallel for simd
  for (int i = 0; i < n; i++) {
    y[i] += 1;
  }
#pragma omp target
#pragma omp teams loop
  for (int i = 0; i < n; i++) {
    y[i] += 1;
  }
#pragma omp target teams
#pragma omp loop bind(teams)
  for (int i = 0; i < n; i++) {
    y[i] += 1;
  }
#pragma omp target parallel loop
  for (int i = 0; i < n; i++) {
    y[i] += 1;
  }
#pragma omp target simd
  for (int i = 0; i < n; i++) {
    y[i] += 1;
  }
}

int main() {
  int n = 777;
  double *y = calloc(n, 8);
  struct P p = {{1, 2, 3, 4, 5, 6}, 9};
  f(n, y, p, 2);
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += y[i] * (1 + i % 5);
  }
  printf("%.9g\n", s);
  f(60, y, p, 0);
  s = 0;
  for (int i = 0; i < n; i++) {
    s += y[i] * (1 + i % 5);
  }
  printf("%.9g\n", s);
}
