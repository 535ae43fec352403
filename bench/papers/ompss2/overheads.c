// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a task on a device costs over memory that is there already: one that is waited for, each of
/// a chain, and 64 beside one another, microseconds, the least of five runs. And how long a task
/// takes from being made until its end has been seen, with workers that have nothing to do and with
/// workers that are all busy with long tasks of the host: mean and most of 100.
#include <nanos6.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernels.h"

enum { kCells = 1024, kTasks = 64, kChain = 2000, kTurns = 20000, kSeen = 100 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

static double least(double a, double b) { return a < b ? a : b; }

/// A task on the device whose end is looked for.
struct Seen {
  double *cells;
  double begin;
  double end;
  atomic_int isMade;
  atomic_int isSeen;
};

static void make(void *argument) {
  struct Seen *seen = argument;
  seen->begin = now();
  spin(kCells, kTurns * 20, seen->cells);
  atomic_store(&seen->isMade, 1);
}

/// Called by whoever sees the end.
static void see(void *argument) {
  struct Seen *seen = argument;
  seen->end = now();
  atomic_store(&seen->isSeen, 1);
}

/// Microseconds from the making of a task to its seen end. `isBusy`: no worker looks meanwhile.
static double seenAfter(double *cells, int isBusy) {
  struct Seen seen = {.cells = cells};
  nanos6_spawn_function(make, &seen, see, &seen, "seen");
  while (!atomic_load(&seen.isMade)) { // Another worker makes it: this one takes no part.
  }
  if (isBusy) {
    const unsigned long others = nanos6_get_total_num_cpus() - 1;
    for (unsigned long i = 0; i < others; ++i) {
#pragma oss task shared(seen)
      while (!atomic_load(&seen.isSeen)) {
      }
    }
  }
  while (!atomic_load(&seen.isSeen)) {
  }
#pragma oss taskwait
  return (seen.end - seen.begin) * 1e6;
}

static void printSeen(const char *how, double *cells, int isBusy) {
  double sum = 0;
  double most = 0;
  for (int i = 0; i < kSeen; ++i) {
    const double took = seenAfter(cells, isBusy);
    sum += took;
    most = took > most ? took : most;
  }
  printf("seen, %-15s %8.2f us, most %8.2f\n", how, sum / kSeen, most);
}

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
  if (nanos6_get_total_num_cpus() > 1) {
    printSeen("workers idle", y, 0);
    printSeen("workers busy", y, 1);
  }
  return 0;
}
