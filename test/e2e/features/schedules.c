// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Every kind of schedule gives every iteration once.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1003 };

static void report(const char *name, const int *a) {
  long sum = 0;
  for (int i = 0; i < N; ++i) {
    sum += (long)a[i] * (i % 11 + 1);
  }
  printf("%s %ld\n", name, sum);
}

#define LOOP(name, clause)                                                                         \
  memset(a, 0, N * sizeof *a);                                                                     \
  _Pragma(clause) for (int i = 0; i < N; ++i) { a[i] += 3 * i + 1; }                               \
  report(name, a);

int main(void) {
  int *a = malloc(N * sizeof *a);
  LOOP("default", "omp parallel for")
  LOOP("static", "omp parallel for schedule(static)")
  LOOP("static,1", "omp parallel for schedule(static, 1)")
  LOOP("static,7", "omp parallel for schedule(static, 7)")
  LOOP("static,5000", "omp parallel for schedule(static, 5000)")
  LOOP("dynamic", "omp parallel for schedule(dynamic)")
  LOOP("dynamic,3", "omp parallel for schedule(dynamic, 3)")
  LOOP("guided", "omp parallel for schedule(guided)")
  LOOP("guided,4", "omp parallel for schedule(guided, 4)")
  LOOP("auto", "omp parallel for schedule(auto)")
  LOOP("runtime", "omp parallel for schedule(runtime)")
  LOOP("monotonic", "omp parallel for schedule(monotonic : dynamic, 2)")
  LOOP("nonmonotonic", "omp parallel for schedule(nonmonotonic : guided, 2)")
  free(a);
  return 0;
}
