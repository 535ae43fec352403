// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a task on a device costs over memory that is there already: one that is waited for, each of
/// a chain, and 64 beside one another. Prints microseconds, the least of five runs.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernels.h"

enum { kCells = 1024, kTasks = 64, kChain = 2000, kTurns = 20000 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

static double least(double a, double b) { return a < b ? a : b; }

int main(void) {
  double *x = calloc(kCells, sizeof *x);
  double *y = calloc(kTasks * kCells, sizeof *y);
  double waited = 1e9;
  double chain = 1e9;
  double one = 1e9;
  double many = 1e9;
  for (int run = 0; run < 5; ++run) {
    double begin = now();
    for (int i = 0; i < 1000; ++i) {
      axpy(kCells, 0, x, y);
#pragma oss taskwait
    }
    waited = least(waited, (now() - begin) / 1000);
    begin = now();
    for (int i = 0; i < kChain; ++i) {
      axpy(kCells, 0, x, y);
    }
#pragma oss taskwait
    chain = least(chain, (now() - begin) / kChain);
    begin = now();
    spin(kCells, kTurns, y);
#pragma oss taskwait
    one = least(one, now() - begin);
    begin = now();
    for (int i = 0; i < kTasks; ++i) {
      spin(kCells, kTurns, y + i * kCells);
    }
#pragma oss taskwait
    many = least(many, now() - begin);
  }
  printf("create one, wait      %8.2f us\n", waited * 1e6);
  printf("each of a chain       %8.2f us\n", chain * 1e6);
  printf("one long kernel       %8.2f us\n", one * 1e6);
  printf("64 of them            %8.2f us\n", many * 1e6);
  return 0;
}
