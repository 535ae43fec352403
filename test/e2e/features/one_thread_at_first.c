// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A program that asks for one thread, as one that measures what threads bring, and for two later:
/// only as long as there is one may its loops count on the order of their iterations. Which
/// launches stay home is asserted in counters.py.
#include <omp.h>
#include <stdio.h>

enum { N = 96 };

static double d[N][N];

int main(void) {
  for (int threads = 1; threads <= 2; ++threads) {
    omp_set_num_threads(threads);
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j) {
        d[i][j] = (i * 17 + j * 31) % 97 + 1;
      }
    }
    for (int k = 0; k < N; ++k) {
#pragma omp parallel for
      for (int i = 0; i < N; ++i) { // All read row k, which stays as it is.
        for (int j = 0; j < N; ++j) {
          const double way = d[i][k] + d[k][j];
          if (i != k && way < d[i][j]) {
            d[i][j] = way;
          }
        }
      }
    }
    double sum = 0;
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j) {
        sum += d[i][j] * (i % 7 + 1);
      }
    }
    printf("%d %g\n", threads, sum);
  }
  return 0;
}
