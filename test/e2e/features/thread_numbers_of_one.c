// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Constructs that ask for thread numbers where their teams have one thread: inside of other
/// constructs, where one is asked for, and where an `if` clause says so.
#include <omp.h>
#include <stdio.h>

enum { N = 500, THREADS = 4 };

static double a[N], found[THREADS];

static void in_turn(int n, int many) {
#pragma omp parallel if (many)
  {
    const int id = omp_get_thread_num(), threads = omp_get_num_threads();
    for (int i = id; i < n; i += threads) {
      found[id] += a[i] * threads;
    }
  }
}

static void report(const char *name) {
  printf("%s", name);
  for (int i = 0; i < THREADS; ++i) {
    printf(" %.1f", found[i]);
    found[i] = 0;
  }
  printf("\n");
}

int main(void) {
  omp_set_num_threads(THREADS);
  for (int i = 0; i < N; ++i) {
    a[i] = i;
  }
  in_turn(N, 1);
  report("four");
#pragma omp parallel num_threads(2)
#pragma omp critical
  in_turn(N, 1);
  report("inside of another construct");
  in_turn(N, 0);
  report("by a condition");
  omp_set_num_threads(1);
  in_turn(N, 1);
  report("by request");
  omp_set_num_threads(THREADS);
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp critical
  in_turn(N, 1);
  report("inside, with threads");
}
