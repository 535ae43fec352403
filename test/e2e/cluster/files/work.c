/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "work.h"

void smooth(const double *from, double *to) {
  to[0] = from[0], to[kCells - 1] = from[kCells - 1];
  for (int i = 1; i < kCells - 1; i++) to[i] = (from[i - 1] + from[i] + from[i + 1]) / 3;
}

void scale(int n, double *x, const double *by) {
  for (int i = 0; i < n; i++) x[i] *= *by;
}
