// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The same results without optimisation.
// FLAGS: -O0
#include <stdio.h>
#include <stdlib.h>

static double global[50];

int main(void) {
  const int n = 200;
  double *old = malloc((size_t)n * n * sizeof *old);
  double *next = malloc((size_t)n * n * sizeof *next);
  double tail = 0.0;
#pragma omp parallel for
  for (int i = 0; i < n * n; ++i) {
    old[i] = next[i] = i < n ? 1.0 : 0.0;
  }
  for (int k = 0; k < 10; ++k) {
    double change = 0.0;
#pragma omp parallel for reduction(+ : change) lastprivate(tail) schedule(static, 3)
    for (int i = 1; i < n - 1; ++i) {
      for (int j = 1; j < n - 1; ++j) {
        next[i * n + j] = 0.25 * (old[(i - 1) * n + j] + old[(i + 1) * n + j] + old[i * n + j - 1] +
                                  old[i * n + j + 1]);
        change += next[i * n + j] - old[i * n + j];
      }
      tail = i;
    }
    double *swap = old;
    old = next;
    next = swap;
#pragma omp parallel for
    for (int i = 0; i < 50; ++i) {
      global[i] += change * i;
    }
  }
  printf("%.9f %.1f %.9f\n", global[49], tail, old[5 * n + 7]);
  free(old);
  free(next);
  return 0;
}
