// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Functions called from loops: pure, through pointers, recursive, with loops of their own.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef double (*Function)(double);

__attribute__((noinline)) static double smooth(const double *a, int i) {
  return 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1];
}

__attribute__((noinline)) static void store(double *a, int i, double value) { a[i] = value; }

static double half(double x) { return 0.5 * x; }

static double twice(double x) { return 2.0 * x; }

static int collatz(long n) { return n == 1 ? 0 : 1 + collatz(n % 2 == 0 ? n / 2 : 3 * n + 1); }

__attribute__((noinline)) static void scale(int n, double *a, double factor) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a[i] *= factor;
  }
}

__attribute__((noinline)) static void orphan(int n, double *a) {
#pragma omp for
  for (int i = 0; i < n; ++i) {
    a[i] += 1.0;
  }
}

int main(int argc, char **argv) {
  (void)argv;
  const int n = 800;
  double *a = malloc((size_t)n * sizeof *a);
  double *b = calloc((size_t)n, sizeof *b);
  const Function functions[2] = {half, twice};
  const Function chosen = argc > 5 ? half : twice;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a[i] = sin(i * 0.01) + pow(1.001, i) + cbrt(i);
  }
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i) {
    store(b, i, smooth(a, i));
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a[i] = functions[i % 2](b[i]) + chosen(1.0);
  }
  long steps = 0;
#pragma omp parallel for reduction(+ : steps) schedule(dynamic, 10)
  for (int i = 1; i < n; ++i) {
    steps += collatz(i);
  }
  scale(n, a, 1.5);
#pragma omp parallel
  {
    orphan(n, a);
    orphan(n, b);
  }
  orphan(n, b);
#pragma omp parallel for
  for (int k = 0; k < 4; ++k) {
    scale(n / 4, b + k * (n / 4), k + 1.0);
  }
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    sum += a[i] + b[i] * (i % 5);
  }
  printf("steps %ld sum %.6f\n", steps, sum);
  free(a);
  free(b);
  return 0;
}
