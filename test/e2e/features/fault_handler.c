// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The program handles memory faults of its own and goes on behind them, while sequential code and
/// the handler touch what loops have written on other ranks.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { kCount = 1 << 18 };

static double *a;
static sigjmp_buf back;
static volatile double seen;
static volatile int faults;

static void onFault(int number, siginfo_t *info, void *context) {
  (void)context;
  faults += number == SIGSEGV && info->si_addr == (void *)8;
  seen = a[kCount - 1 - 4096 * faults];
  siglongjmp(back, 1);
}

static void onAnyFault(int number) {
  faults += number == SIGSEGV;
  siglongjmp(back, 1);
}

int main(void) {
  a = malloc(sizeof *a * kCount);
  struct sigaction action = {0};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, NULL);
  double sum = 0;
  for (int time = 0; time < 20; ++time) {
#pragma omp parallel for
    for (int i = 0; i < kCount; ++i) {
      a[i] = i + time;
    }
    if (time == 15 && signal(SIGSEGV, onAnyFault) == SIG_ERR) {
      return 1;
    }
    if (sigsetjmp(back, 1) == 0) {
      *(volatile int *)8 = 1;
    }
    sum += seen;
    for (int i = time; i < kCount; i += 5000) {
      sum += a[i];
    }
  }
  struct sigaction last;
  sigaction(SIGSEGV, NULL, &last);
  printf("%.1f %d %d\n", sum, faults, last.sa_handler == onAnyFault);
  free(a);
  return 0;
}
