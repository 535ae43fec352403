// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop that touches little and computes much, of which nobody says where it runs: what it takes at home is
// found out from some iterations of its first launch. Each changes what it reads, so it must be executed once.
#include <stdio.h>
#include <stdlib.h>

enum { kCount = 20000, kRounds = 6, kSteps = 2000 };

int main(void) {
  unsigned long *values = malloc(kCount * sizeof *values);
  for (int i = 0; i < kCount; ++i) {
    values[i] = i % 1013;
  }
  for (int round = 0; round < kRounds; ++round) {
#pragma omp parallel for
    for (int i = 0; i < kCount; ++i) {
      for (int step = 0; step < kSteps; ++step) {
        values[i] = values[i] * 3 + (values[i] >> 7) + i;
      }
    }
  }
  // Devices are looked for where a loop asks for one.
#pragma tutti device(gpu)
#pragma omp parallel for
  for (int i = 0; i < kCount; ++i) {
    values[i] += i;
  }
  unsigned long sum = 0;
  for (int i = 0; i < kCount; ++i) {
    sum = sum * 31 + values[i];
  }
  printf("%lu\n", sum);
  return 0;
}
