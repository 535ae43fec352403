// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short loops, as many as the first argument says, and behind them a long one if the second is "long", and one
// whose first iteration takes nearly all of its time if it is "uneven". If it is "fault", the program handles a fault of
// its own in the end. Nobody says where loops run. Each changes what it
// reads, so every iteration must be executed once.
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kCount = 4000, kSteps = 100, kLong = 2000, kFirst = 900000000 };

static void onFault(int number) {
  const char text[] = "handled\n";
  _exit(number == SIGSEGV && write(STDOUT_FILENO, text, sizeof text - 1) > 0 ? 0 : 1);
}

__attribute__((noinline)) static void shortLoop(unsigned long *values) {
#pragma omp parallel for
  for (int i = 0; i < kCount; ++i) {
    for (int step = 0; step < kSteps; ++step) {
      values[i] = values[i] * 3 + (values[i] >> 7) + i;
    }
  }
}

__attribute__((noinline)) static void longLoop(unsigned long *values) {
#pragma omp parallel for
  for (int i = 0; i < kCount; ++i) {
    for (int step = 0; step < kLong * kSteps; ++step) {
      values[i] = values[i] * 3 + (values[i] >> 7) + i;
    }
  }
}

__attribute__((noinline)) static void unevenLoop(unsigned long *values) {
#pragma omp parallel for
  for (int i = 0; i < kCount; ++i) {
    for (int step = 0; step < (i == 0 ? kFirst : 1); ++step) {
      values[i] = values[i] * 3 + (values[i] >> 7) + i;
    }
  }
}

int main(int argc, char **argv) {
  const int rounds = atoi(argv[1]);
  const char *more = argc > 2 ? argv[2] : "";
  if (strcmp(more, "fault") == 0) {
    signal(SIGSEGV, onFault);
  }
  unsigned long *values = malloc(kCount * sizeof *values);
  for (int i = 0; i < kCount; ++i) {
    values[i] = i % 1013;
  }
  for (int round = 0; round < rounds; ++round) {
    shortLoop(values);
    if (round == rounds / 2 && system("true") != 0) {
      return 1;
    }
  }
  if (strcmp(more, "long") == 0) {
    longLoop(values);
  }
  if (strcmp(more, "uneven") == 0) {
    unsigned long *others = calloc(kCount, sizeof *others);
    const double begin = omp_get_wtime();
    while (omp_get_wtime() < begin + 0.25) { // Until devices are being opened.
      shortLoop(others);
    }
    unevenLoop(values);
    free(others);
  }
  unsigned long sum = 0;
  for (int i = 0; i < kCount; ++i) {
    sum = sum * 31 + values[i];
  }
  printf("%lu\n", sum);
  fflush(stdout);
  if (strcmp(more, "fault") == 0) {
    *(volatile int *)NULL = 1;
  }
  return 0;
}
