/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of another file that are tasks: the link step knows their code. */
#include "work.h"

#include <stdio.h>
#include <stdlib.h>

int main(void) {
  enum { kArrays = 6 };
  double *x[kArrays], *y[kArrays], by = 1.5;
  for (int k = 0; k < kArrays; k++) {
    x[k] = malloc(kCells * sizeof(double)), y[k] = malloc(kCells * sizeof(double));
    for (int i = 0; i < kCells; i++) x[k][i] = (i * (k + 3)) % 17;
  }
  for (int step = 0; step < 3; step++)
    for (int k = 0; k < kArrays; k++) {
      smooth(x[k], y[k]);
      scale(kCells, y[k], &by);
      smooth(y[k], x[k]);
    }
#pragma oss taskwait
  double sum = 0;
  for (int k = 0; k < kArrays; k++)
    for (int i = 0; i < kCells; i++) sum += x[k][i] * (i % 5) - y[k][i];
  printf("%.10g\n", sum);
}
