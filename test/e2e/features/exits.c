// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// An iteration ends the program: with its status, behind all that was printed before, and handlers
/// run once, which see memory as it is.
// EXIT: 23
#include <stdio.h>
#include <stdlib.h>

enum { N = 5000, BAD = 4321 };

static double *a;

static void last(void) {
  double sum = 0;
  for (int i = 0; i < BAD; ++i) {
    sum += a[i] > 0;
  }
  printf("at exit: %g\n", sum);
}

static void check(double value, int i) {
  if (value < 0) {
    fprintf(stderr, "told on standard error\n");
    printf("element %d is %g\n", i, value);
    exit(23);
  }
}

int main(void) {
  a = malloc(sizeof *a * N);
  atexit(last);
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    a[i] = i == BAD ? -2.5 : i + 1;
  }
  printf("before\n");
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < N; ++i) {
    check(a[i], i);
    for (int j = 0; j < 10; ++j) {
      sum += a[i] * j;
    }
  }
  printf("not reached: %g\n", sum);
  return 0;
}
