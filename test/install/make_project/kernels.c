// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heat.h"

void smooth(int n, const double *from, double *to) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i) {
    to[i] = 0.25 * from[i - 1] + 0.5 * from[i] + 0.25 * from[i + 1];
  }
}
