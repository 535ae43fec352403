// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Iterations that would disturb one another in parallel, run by a program that has asked for the
/// number of its threads, and knows that they come in order.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 4000, BINS = 37 };

static void count(const int *key, long *bin, int threads) {
  if (threads > 1) {
#pragma omp parallel for
    for (int i = 0; i < N; ++i) {
#pragma omp atomic
      bin[key[i]] += i;
    }
  } else {
#pragma omp parallel for
    for (int i = 0; i < N; ++i) {
      bin[key[i]] += i;
    }
  }
}

static void print(const long *bin) {
  long sum = 0;
  for (int i = 0; i < BINS; ++i) {
    sum = 3 * sum + bin[i];
  }
  printf("%ld\n", sum);
}

int main(void) {
  int *key = malloc(N * sizeof *key);
  long *bin = calloc(BINS, sizeof *bin);
  for (int i = 0; i < N; ++i) {
    key[i] = (int)(i * 7919L % BINS);
  }
  count(key, bin, omp_get_max_threads());
  print(bin);
  omp_set_num_threads(1);
  count(key, bin, 1);
  print(bin);
  free(key);
  free(bin);
  return 0;
}
