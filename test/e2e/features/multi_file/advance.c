// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shared.h"

static double scratch[SIZE];

void advance(int step) {
#pragma omp parallel for
  for (int i = 0; i < SIZE; ++i) {
    scratch[i] = cube(0.1 * (i % 10)) + step;
  }
#pragma omp parallel for
  for (int i = 0; i < SIZE; ++i) {
    field[i] += scratch[SIZE - 1 - i] * weight;
  }
}
