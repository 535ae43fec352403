// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Target tasks: `nowait`, waited for by `taskwait`, ordered by `depend`, in a task group.
#include <stdio.h>
#include <stdlib.h>

static void halve(double *a, long n, int k) {
#pragma omp target teams distribute parallel for nowait map(tofrom : a[0 : n])
  for (long i = 0; i < n; ++i) {
    a[i] = 0.5 * a[i] + k;
  }
#pragma omp taskwait
}

/// Two halves that do not wait for each other, and a sum that waits for both.
static double halves(double *a, long n) {
  double sum = 0;
  const long m = n / 2;
#pragma omp target teams distribute parallel for nowait map(tofrom : a[0 : m]) depend(out : a[0])
  for (long i = 0; i < m; ++i) {
    a[i] += 1;
  }
#pragma omp target parallel for nowait map(tofrom : a[m : n - m]) depend(out : a[m])
  for (long i = m; i < n; ++i) {
    a[i] -= 1;
  }
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n], sum)                       \
    depend(in : a[0], a[m]) reduction(+ : sum)
  for (long i = 0; i < n; ++i) {
    sum += a[i] * (i % 3);
  }
#pragma omp taskwait depend(in : a[0], a[m])
  return sum;
}

/// Private copies and a group.
static void grouped(double *a, long n, int steps) {
#pragma omp target enter data map(to : a[0 : n])
#pragma omp taskgroup
  for (int step = 0; step < steps; ++step) {
    double by = 1.0 / (step + 1);
#pragma omp target teams distribute parallel for nowait firstprivate(by) depend(inout : a[0 : n])
    for (long i = 0; i < n; ++i) {
      a[i] += by * (i % 7);
    }
  }
#pragma omp target update from(a[0 : n]) nowait
#pragma omp taskwait
#pragma omp target exit data map(from : a[0 : n])
}

int main(void) {
  const long n = 20000;
  double *a = malloc(n * sizeof *a);
  for (long i = 0; i < n; ++i) {
    a[i] = i % 5;
  }
  for (int k = 0; k < 4; ++k) {
    halve(a, n, k);
    printf("%.6f\n", halves(a, n));
    grouped(a, n, 3);
  }
  double sum = 0;
  for (long i = 0; i < n; ++i) {
    sum += a[i];
  }
  printf("%.6f\n", sum);
  free(a);
}
