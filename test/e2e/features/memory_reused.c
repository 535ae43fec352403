// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Memory of arrays that have gone, of the stack and of the heap, holds what system calls write to
/// and what signals need.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { kCount = 1 << 16, kRooms = 40 };

static volatile int signals;

static void count(int number) { signals += number == SIGUSR1; }

static double compute(double *a, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    a[i] = (double)i;
  }
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (long i = 0; i < n; ++i) {
    sum += a[i];
  }
  return sum;
}

__attribute__((noinline)) static double onStack(void) {
  double a[kCount];
  return compute(a, kCount);
}

__attribute__((noinline)) static double onHeap(void) {
  double *a = malloc(sizeof *a * kCount);
  const double sum = compute(a, kCount);
  free(a);
  return sum;
}

static int useSystem(char *room) {
  struct stat *status = (struct stat *)(void *)(room + 4096);
  int good = stat("/", status) == 0 && S_ISDIR(status->st_mode);
  good += getcwd(room, 4096) != NULL;
  raise(SIGUSR1);
  return good;
}

__attribute__((noinline)) static int useDeep(int depth) {
  char room[8192];
  const int good = useSystem(room);
  return good + (depth > 0 ? useDeep(depth - 1) : 0);
}

/// The same below an array of variable size that has gone.
__attribute__((noinline)) static double inBlock(long n) {
  double sum = 0;
  for (int time = 0; time < 2; ++time) {
    {
      double a[n];
      sum += compute(a, n);
    }
    sum += useDeep(kRooms);
  }
  return sum;
}

int main(void) {
  signal(SIGUSR1, count);
  for (int time = 0; time < 2; ++time) {
    double sum = onStack();
    printf("%.1f %d\n", sum, useDeep(kRooms));
    printf("%.1f\n", inBlock(kCount));
    sum = onHeap();
    char *rooms[kRooms];
    int good = 0;
    for (int room = 0; room < kRooms; ++room) {
      rooms[room] = malloc(10000);
      good += useSystem(rooms[room]);
    }
    for (int room = 0; room < kRooms; ++room) {
      free(rooms[room]);
    }
    printf("%.1f %d %d\n", sum, good, signals);
  }
  return 0;
}
