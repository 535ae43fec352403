// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short loops, as many as the first argument says, and behind them a long one if there is a second. Nobody says
// where they run. Each changes what it reads, so every iteration must be executed once.
#include <stdio.h>
#include <stdlib.h>

enum { kCount = 4000, kSteps = 100, kLong = 2000 };

int main(int argc, char **argv) {
  const int rounds = atoi(argv[1]);
  unsigned long *values = malloc(kCount * sizeof *values);
  for (int i = 0; i < kCount; ++i) {
    values[i] = i % 1013;
  }
  for (int round = 0; round < rounds; ++round) {
#pragma omp parallel for
    for (int i = 0; i < kCount; ++i) {
      for (int step = 0; step < kSteps; ++step) {
        values[i] = values[i] * 3 + (values[i] >> 7) + i;
      }
    }
    if (round == rounds / 2 && system("true") != 0) {
      return 1;
    }
  }
  if (argc > 2) {
#pragma omp parallel for
    for (int i = 0; i < kCount; ++i) {
      for (int step = 0; step < kLong * kSteps; ++step) {
        values[i] = values[i] * 3 + (values[i] >> 7) + i;
      }
    }
  }
  unsigned long sum = 0;
  for (int i = 0; i < kCount; ++i) {
    sum = sum * 31 + values[i];
  }
  printf("%lu\n", sum);
  return 0;
}
