// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Teams of which there is a single one with a single thread, which execute iterations in their
/// order, and programs that ask how many there are.
#include <omp.h>
#include <stdio.h>

enum { LENGTH = 20000 };

static double values[LENGTH];
static int teams[LENGTH];

static void show(const char *name) {
  double sum = 0;
  for (int i = 0; i < LENGTH; ++i) {
    sum += values[i] * (i % 11);
  }
  printf("%s %.6f\n", name, sum);
}

static void smoothVariable(int teamCount, int threadCount) {
#pragma omp teams distribute parallel for num_teams(teamCount) thread_limit(threadCount)
  for (int i = 1; i < LENGTH; ++i) {
    values[i] = (values[i - 1] + values[i]) / 2;
  }
}

int main(int argc, char **argv) {
  (void)argv;
  for (int i = 0; i < LENGTH; ++i) {
    values[i] = i * 37 % 101;
  }
#pragma omp teams distribute parallel for num_teams(1) thread_limit(1)
  for (int i = 1; i < LENGTH; ++i) {
    values[i] = (values[i - 1] + values[i]) / 2;
  }
  show("limit");
#pragma omp target teams distribute parallel for num_teams(1) num_threads(1)
  for (int i = 1; i < LENGTH; ++i) {
    values[i] = (values[i - 1] + values[i]) / 2;
  }
  show("threads");
  smoothVariable(argc, argc);
  show("variable");
#pragma omp teams distribute parallel for num_teams(2)
  for (int i = 0; i < LENGTH; ++i) {
    teams[i] = omp_get_num_teams();
  }
  long sum = 0;
  for (int i = 0; i < LENGTH; ++i) {
    sum += teams[i];
  }
  printf("teams %ld\n", sum);
  return 0;
}
