// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values go to their neighbours and back, so that bytes cross wherever the loops are divided; sequential code
// reads and changes some between.
#include <stdio.h>
#include <stdlib.h>

enum { kCount = 2000000, kRounds = 30 };

int main(void) {
  long *from = malloc(kCount * sizeof *from);
  long *to = calloc(kCount, sizeof *to);
  for (int i = 0; i < kCount; ++i) {
    from[i] = i % 1013;
  }
  for (int round = 0; round < kRounds; ++round) {
#pragma omp parallel for
    for (int i = 1; i < kCount - 1; ++i) {
      to[i] = from[i - 1] + 2 * from[i] - from[i + 1];
    }
    long *other = from;
    from = to;
    to = other;
    if (round % 5 == 0) {
      from[kCount / 2] += from[kCount / 3] + round;
    }
  }
  unsigned long sum = 0;
  for (int i = 0; i < kCount; ++i) {
    sum = sum * 31 + (unsigned long)from[i];
  }
  printf("%lu %ld %ld\n", sum, from[kCount / 2], from[kCount - 2]);
  return 0;
}
