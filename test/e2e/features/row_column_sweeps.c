// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops over rows and over columns in turn: all data changes hands every time.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 120;
  double *u = malloc((size_t)n * n * sizeof *u);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      u[i * n + j] = (i * 3 + j * 7) % 11;
    }
  }
  for (int step = 0; step < 4; ++step) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      for (int j = 1; j < n; ++j) {
        u[i * n + j] += 0.3 * u[i * n + j - 1];
      }
    }
#pragma omp parallel for
    for (int j = 0; j < n; ++j) {
      for (int i = n - 2; i >= 0; --i) {
        u[i * n + j] -= 0.2 * u[(i + 1) * n + j];
      }
    }
  }
  double sum = 0.0;
  for (int i = 0; i < n * n; ++i) {
    sum += u[i] * (i % 13);
  }
  printf("sum %.9e corner %.9e\n", sum, u[n * n - 1]);
  free(u);
  return 0;
}
