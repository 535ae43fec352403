// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Parallel regions with loops, barriers, single, sections, critical and atomics inside.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int n = 512;
  int *a = malloc((size_t)n * sizeof *a);
  int *b = malloc((size_t)n * sizeof *b);
  long sum = 0;
  long count = 0;
  int singles = 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a[i] = i;
  }
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) {
      b[i] = a[(i + 1) % n] * 2;
    }
#pragma omp for nowait schedule(dynamic, 8)
    for (int i = 0; i < n; ++i) {
      a[i] += b[n - 1 - i];
    }
#pragma omp barrier
#pragma omp single
    singles += a[0];
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < n; ++i) {
      sum += a[i];
    }
#pragma omp atomic
    count += 1;
#pragma omp critical
    singles += 0;
#pragma omp master
    b[0] = -1;
  }
  printf("sum %ld single %d threads seen %d\n", sum, singles, count > 0);

  long total = 0;
#pragma omp parallel reduction(+ : total)
  {
    const int threads = omp_get_num_threads();
    for (int i = omp_get_thread_num(); i < n; i += threads) {
      total += a[i] + b[i];
    }
  }
  printf("by hand %ld\n", total);

  int left = 0;
  int right = 0;
#pragma omp parallel sections
  {
#pragma omp section
    for (int i = 0; i < n / 2; ++i) {
      left += a[i];
    }
#pragma omp section
    for (int i = n / 2; i < n; ++i) {
      right += a[i];
    }
  }
  printf("sections %d %d\n", left, right);
  free(a);
  free(b);
  return 0;
}
