// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Extremes in critical sections, with a rule for equal values: the same one wins whoever comes
/// first.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 4000 };

struct best {
  long key;
  short pad;
  int number;
  double also;
};

static double least = 1e300;
static int whereLeast = -1;

int main(void) {
  double *x = malloc(sizeof *x * N);
  long *k = malloc(sizeof *k * N);
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    x[i] = (i * 7919 % 97) * 0.5 - 3;
    k[i] = i * 104729L % 89;
  }
  for (int round = 0; round < 3; ++round) {
    // The last of the least ones.
#pragma omp parallel for
    for (int i = 0; i < N; ++i) {
      const double v = x[i] + round;
#pragma omp critical
      if (v < least || (v == least && i > whereLeast)) {
        least = v;
        whereLeast = i;
      }
    }
    printf("%g %d\n", least, whereLeast);
    least += 2;

    // The first of the greatest, with something more.
    struct best best = {LONG_MIN, 0, INT_MAX, 0};
#pragma omp parallel for schedule(dynamic, 7)
    for (int i = 0; i < N; ++i) {
      const long v = k[i] % (50 + round);
#pragma omp critical
      if (best.key < v || (v == best.key && best.number > i)) {
        best.number = i;
        best.key = v;
        best.also = x[i];
      }
    }
    printf("%ld %d %g\n", best.key, best.number, best.also);
  }
  // Values that are as bad as can be, or not equal to themselves.
  double most = -INFINITY;
  unsigned which = 77;
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    const double v = i % 3 ? NAN : -INFINITY;
#pragma omp critical
    if (v > most || (v == most && (unsigned)i < which)) {
      most = v;
      which = (unsigned)i;
    }
  }
  printf("%g %u\n", most, which);
  double none = NAN;
  int who = -7;
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
#pragma omp critical
    if (x[i] < none || (x[i] == none && i < who)) {
      none = x[i];
      who = i;
    }
  }
  printf("%d %d\n", isnan(none), who);
  free(x);
  free(k);
  return 0;
}
