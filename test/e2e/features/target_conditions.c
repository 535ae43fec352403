// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Combined constructs with `if` clauses, of which clang writes the loop in two versions. Each
/// holds in most calls and does not in some.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static void halve(double *b, int n, int offload) {
#pragma omp target teams distribute parallel for simd if (offload) collapse(2)                     \
    map(tofrom : b[0 : n * n])
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      b[i * n + j] = 0.5 * b[i * n + j] + 1;
    }
  }
}

static double sum(const double *b, int n, bool isLarge) {
  double s = 0;
#pragma omp target teams distribute parallel for simd if (isLarge) reduction(+ : s) num_teams(3)
  for (int i = 0; i < n; ++i) {
    s += b[i];
  }
  return s;
}

static int last(double *b, int n) {
  int found = -1;
#pragma omp teams distribute parallel for simd if (n > 8) lastprivate(found)                       \
    dist_schedule(static, 5)
  for (int i = 0; i < n; ++i) {
    b[i] += found = i % 7;
  }
  return found;
}

static void promises(double *b, int n, int threads, int promise) {
#pragma omp parallel for simd if (parallel : threads) if (simd : promise)
  for (int i = 0; i < n; ++i) {
    b[i] *= 1.25;
  }
#pragma omp parallel for simd if (simd : promise) schedule(dynamic, 3)
  for (int i = 0; i < n; ++i) {
    b[i] += promise;
  }
#pragma omp target teams distribute parallel for simd if (simd : promise) num_threads(2)           \
    map(tofrom : b[0 : n])
  for (int i = 0; i < n; ++i) {
    b[i] -= 0.5 * promise;
  }
#pragma omp target teams distribute simd if (promise) map(tofrom : b[0 : n])
  for (int i = 0; i < n; ++i) {
    b[i] += 0.125 * i;
  }
#pragma omp target if (target : promise) map(tofrom : b[0 : n])
#pragma omp teams distribute parallel for simd if (parallel : b[0] > -1e6)
  for (int i = 0; i < n; ++i) {
    b[i] -= 0.25 * i;
  }
}

/// Chosen by the program, in one construct.
static void choose(double *b, int n, int which) {
#pragma omp parallel firstprivate(which)
  if (which) {
#pragma omp for
    for (int i = 0; i < n; ++i) {
      b[i] += which;
    }
  } else {
#pragma omp for schedule(static, 4)
    for (int i = 0; i < n; ++i) {
      b[i] -= 2;
    }
  }
}

int main(void) {
  const int n = 48;
  double *b = malloc(sizeof *b * n * n);
  for (int i = 0; i < n * n; ++i) {
    b[i] = i % 19;
  }
  for (int round = 0; round < 6; ++round) {
    const int holds = round != 3;
    halve(b, n, holds);
    printf("%d %.6f\n", round, sum(b, n * n, holds));
    printf("%d %d\n", last(b, holds ? n * n : 7), last(b, n));
    promises(b, n * n, holds, round % 2);
    choose(b, n * n, round % 3);
  }
  double all = 0;
  for (int i = 0; i < n * n; ++i) {
    all += (i % 5 + 1) * b[i];
  }
  printf("%.6f\n", all);
  free(b);
}
