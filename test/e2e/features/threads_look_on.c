// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A thread of the program looks at what a loop reads at the same time, while parts of it may still
/// be on their way.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1 << 21, kPage = 512, kLooks = 64, kSteps = 6 };

static double *a;
static atomic_int step;

/// Counts what is not of the latest step.
static void *look(void *argument) {
  long *old = argument;
  const int now = atomic_load(&step);
  for (long k = 1; k <= kLooks; ++k) {
    *old += a[N - k * kPage] != (double)now;
  }
  return NULL;
}

int main(void) {
  a = malloc(N * sizeof *a);
  double *b = malloc(N * sizeof *b);
  long old = 0;
  for (int now = 1; now <= kSteps; ++now) {
#pragma omp parallel for
    for (long i = 0; i < N; ++i) {
      a[i] = (double)now;
    }
    atomic_store(&step, now);
    pthread_t thread;
    pthread_create(&thread, NULL, look, &old);
#pragma omp parallel for
    for (long i = 0; i < N; ++i) {
      b[i] = a[N - 1 - i] * 2.0;
    }
    pthread_join(thread, NULL);
    printf("%d %g %ld\n", now, b[0] + b[N - 1], old);
  }
  free(a);
  free(b);
  return 0;
}
