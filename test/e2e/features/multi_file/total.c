// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shared.h"

double field[SIZE];
double weight = 1.5;

double total(void) {
  double sum = 0.0;
  for (int i = 0; i < SIZE; ++i) {
    sum += field[i];
  }
  return sum;
}
