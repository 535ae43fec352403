// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <math.h>
#include <stdio.h>

#include "heat.h"

enum { N = 5000 };

static double buffers[2][N];

int main(void) {
  for (int i = 0; i < N; ++i) {
    buffers[0][i] = buffers[1][i] = sin(0.01 * i);
  }
  for (int step = 0; step < 10; ++step) {
    smooth(N, buffers[step % 2], buffers[(step + 1) % 2]);
  }
  printf("sum %.9f\n", sum(N, buffers[0]));
  return 0;
}
