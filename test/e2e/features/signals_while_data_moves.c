// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A timer interrupts loops whose parts differ from step to step, so that data moves between places
/// before a launch; its handler reads what devices are about to write.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

enum { kCount = 1 << 18 };

static double *a;
static volatile double last;
static volatile long ticks;

static void tick(int number) {
  static unsigned place;
  place = place * 1664525U + 1013904223U + (unsigned)number;
  last = a[place % kCount];
  ++ticks;
}

int main(void) {
  a = malloc(sizeof *a * kCount);
  double *b = malloc(sizeof *b * kCount);
  for (int i = 0; i < kCount; ++i) {
    a[i] = i;
    b[i] = 0;
  }
  struct sigaction action = {0};
  action.sa_handler = tick;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, NULL);
  struct itimerval interval = {{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &interval, NULL);
  double sum = 0;
  for (int time = 0; time < 40; ++time) {
#pragma omp parallel for
    for (int i = 0; i < kCount; ++i) {
      b[i] = a[i] + 1;
    }
    const int from = (time % 5) * (kCount / 9);
#pragma omp parallel for
    for (int i = from; i < kCount; ++i) {
      a[i] = b[i] * 2 - a[i];
    }
    for (int i = time; i < kCount; i += 5000) {
      sum += a[i];
    }
  }
  interval = (struct itimerval){0};
  setitimer(ITIMER_REAL, &interval, NULL);
  printf("%.1f %d\n", sum, last >= 0 && ticks >= 0);
  free(a);
  free(b);
  return 0;
}
