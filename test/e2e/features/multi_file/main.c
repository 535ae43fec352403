// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops and variables in several source files; static names that repeat.
#include <stdio.h>

#include "shared.h"

static double scratch[100];

int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 100; ++i) {
    scratch[i] = i;
  }
  for (int step = 0; step < 3; ++step) {
    advance(step);
    weight += scratch[step];
  }
  double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < SIZE; ++i) {
    sum += field[i] * weight + scratch[i % 100];
  }
  printf("sum %.6f total %.6f\n", sum, total());
  return 0;
}
