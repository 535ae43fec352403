// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Constructs that ask for one thread: it executes the iterations in their order, and the program
/// may count on that. What is asked of one construct holds for no other.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { kCount = 5000 };

static double g[kCount];
static int c[kCount];

static void show(const char *name) {
  double sum = 0;
  for (int i = 0; i < kCount; ++i) {
    sum += g[i] * (i % 11) + c[i] * (i % 7);
  }
  printf("%s %.9e\n", name, sum);
}

static void inOrder(void) {
#pragma omp parallel for num_threads(1)
  for (int i = 1; i < kCount; ++i) {
    g[i] = (g[i - 1] + g[i]) / 2;
  }
  show("parallel for");
#pragma omp target parallel for num_threads(1)
  for (int i = 1; i < kCount; ++i) {
    g[i] = (g[i - 1] + g[i]) / 2;
  }
  show("target parallel for");
}

/// The number is known only while the program runs.
static void numbered(int threads) {
  int last = 0;
#pragma omp parallel for num_threads(threads) firstprivate(last)
  for (int i = 0; i < kCount; ++i) {
    c[i] = threads == 1 ? ++last : i;
  }
  show("numbered");
#pragma omp parallel for if (threads < 5) num_threads(threads) firstprivate(last)
  for (int i = 0; i < kCount; ++i) {
    c[i] += threads == 1 ? ++last : i;
  }
  show("numbered under a condition");
}

static void once(void) {
  double sum = 0;
#pragma omp parallel num_threads(1) reduction(+ : sum)
  {
    sum += 100;
#pragma omp for
    for (int i = 0; i < kCount; ++i) {
      sum += c[i];
    }
#pragma omp for
    for (int i = 0; i < kCount; ++i) {
      sum += g[i] > 50;
    }
  }
  printf("once %.9e\n", sum);
}

/// The next construct has as many threads as ever.
static void requestsDoNotLast(int threads) {
#pragma omp parallel for num_threads(3)
  for (int i = 0; i < kCount; ++i) {
    g[i] += i % 5;
  }
  int all = 0;
#pragma omp parallel
#pragma omp single
  all = omp_get_num_threads() == omp_get_max_threads();
#pragma omp parallel for num_threads(threads) proc_bind(close)
  for (int i = 0; i < kCount; ++i) {
    g[i] += i % 3;
  }
#pragma omp parallel
#pragma omp single
  all += omp_get_num_threads() == omp_get_max_threads();
  printf("all threads: %d\n", all);
}

int main(int argc, char **argv) {
  (void)argv;
  for (int i = 0; i < kCount; ++i) {
    g[i] = i * 37 % 101;
  }
  inOrder();
  numbered(argc);
  numbered(argc + 1);
  once();
  requestsDoNotLast(argc + 3);
  show("end");
  return 0;
}
