// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The clauses if and num_threads change who computes, never what.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  const int n = 600;
  (void)argv;
  int *a = calloc((size_t)n, sizeof *a);
  for (int threads = 1; threads <= 5; ++threads) {
#pragma omp parallel for num_threads(threads)
    for (int i = 0; i < n; ++i) {
      a[i] += i * threads;
    }
#pragma omp parallel for if (threads % 2 == 0)
    for (int i = 0; i < n; ++i) {
      a[i] += 1;
    }
#pragma omp parallel for if (parallel : argc > 100) num_threads(2) proc_bind(close)
    for (int i = 0; i < n; ++i) {
      a[i] ^= i;
    }
  }
  omp_set_num_threads(3);
  long sum = 0;
#pragma omp parallel for reduction(+ : sum) if (n > 10)
  for (int i = 0; i < n; ++i) {
    sum += (long)a[i] * (i % 3 + 1);
  }
  printf("sum %ld\n", sum);
  free(a);
  return 0;
}
