// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes through computed indices: each place finds what it has changed, and all of it is merged.
#include <stdio.h>
#include <stdlib.h>

enum { kCount = 300000, kRounds = 30 };

int main(void) {
  int *index = malloc(kCount * sizeof *index);
  long *from = malloc(kCount * sizeof *from);
  long *to = calloc(kCount, sizeof *to);
  for (int i = 0; i < kCount; ++i) {
    index[i] = (int)(i * 7919L % kCount);
    from[i] = i;
  }
  for (int round = 0; round < kRounds; ++round) {
#pragma omp parallel for
    for (int i = 0; i < kCount; ++i) {
      to[index[i]] = from[i] + 3 * i;
    }
    long *other = from;
    from = to;
    to = other;
  }
  unsigned long sum = 0;
  for (int i = 0; i < kCount; ++i) {
    sum = sum * 31 + (unsigned long)from[i];
  }
  printf("%lu\n", sum);
  return 0;
}
