// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What sequential code pays for memory that another rank has written: single touches far apart in
// an order that nothing foretells, and a walk through a quarter of the array, beside a walk through
// what the rank has itself. The first turn is new to the runtime; later ones are not.
//
// usage: remote [megabytes [turns]], on two ranks (tuttirun -n 2); bench/remote/pingpong.c is the
// transport's own part.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kTouches = 64 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

static int compare(const void *one, const void *other) {
  const double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}

static double walk(const double *values, long begin, long end, double *sum) {
  const double start = now();
  for (long i = begin; i < end; ++i) {
    *sum += values[i];
  }
  return 8e-9 * (end - begin) / (now() - start);
}

int main(int argc, char **argv) {
  const long count = (argc > 1 ? atol(argv[1]) : 128) << 17;
  const int turns = argc > 2 ? atoi(argv[2]) : 6;
  double *values = malloc(count * sizeof *values);
  double sum = 0;
  for (int turn = 0; turn < turns; ++turn) {
#pragma omp parallel for
    for (long i = 0; i < count; ++i) {
      values[i] = i + turn;
    }
    double touches[kTouches];
    const long part =
        count / 4 / kTouches; // The last quarter is touched, the third is walked through.
    for (int i = 0; i < kTouches; ++i) {
      const double start = now();
      sum += *(volatile double *)&values[count - count / 4 + part * ((i * 37) % kTouches)];
      touches[i] = 1e6 * (now() - start);
    }
    qsort(touches, kTouches, sizeof *touches, compare);
    const double remote = walk(values, count / 2, count - count / 4, &sum);
    const double own = walk(values, count / 4, count / 2, &sum);
    printf("turn %d: a touch %6.1f us (median; most %6.1f); a walk %5.2f GB/s, one through its own "
           "%5.2f GB/s\n",
           turn, touches[kTouches / 2], touches[kTouches - 1], remote, own);
  }
  printf("sum %g\n", sum);
  free(values);
  return 0;
}
