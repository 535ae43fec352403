// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A stencil on rows that were allocated one by one, whose numbers are constants: the optimiser
/// carries the pointers to rows from one iteration to the next. Its argument: steps.
#include <stdio.h>
#include <stdlib.h>

enum { kRows = 400, kColumns = 64 };

int main(int argc, char **argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 8;
  double **from = malloc(sizeof *from * kRows);
  double **to = malloc(sizeof *to * kRows);
  for (int i = 0; i < kRows; ++i) {
    from[i] = malloc(sizeof **from * kColumns);
    to[i] = malloc(sizeof **to * kColumns);
    for (int j = 0; j < kColumns; ++j) {
      from[i][j] = to[i][j] = (i * 7 + j) % 11;
    }
  }
  for (int step = 0; step < steps; ++step) {
#pragma omp parallel for
    for (int i = 1; i < kRows - 1; ++i) {
      for (int j = 1; j < kColumns - 1; ++j) {
        to[i][j] =
            0.2 * (from[i][j] + from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
      }
    }
    double **other = from;
    from = to;
    to = other;
  }
  double sum = 0;
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) {
      sum += from[i][j] * (i % 13 + j % 5);
    }
  }
  printf("%.12g\n", sum);
}
