// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops started from threads that the program made itself.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

static double totals[3];

static void *work(void *argument) {
  const int id = *(int *)argument;
  double *a = malloc(N * sizeof *a);
  for (int step = 0; step < 5; ++step) {
#pragma omp parallel for
    for (int i = 0; i < N; ++i) {
      a[i] = i * id + step;
    }
    double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < N; ++i) {
      sum += a[i];
    }
    totals[id] += sum;
  }
  free(a);
  return NULL;
}

/// Of `main`'s stack, which other threads' loops leave alone.
static void *increment(void *argument) {
  double *numbers = argument;
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    numbers[i] += 1.0;
  }
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  int ids[3] = {0, 1, 2};
  for (int k = 1; k < 3; ++k) {
    pthread_create(&threads[k], NULL, work, &ids[k]);
  }
  work(&ids[0]);
  for (int k = 1; k < 3; ++k) {
    pthread_join(threads[k], NULL);
  }
#pragma omp parallel for
  for (int k = 0; k < 3; ++k) {
    totals[k] *= 0.5;
  }
  double numbers[N];
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    numbers[i] = 0.5 * i;
  }
  pthread_create(&threads[0], NULL, increment, numbers);
  pthread_join(threads[0], NULL);
  printf("%.3f %.3f %.3f\n", totals[0], totals[1], totals[2]);
  printf("%.1f %.1f\n", numbers[0], numbers[N - 1]);
  return 0;
}
