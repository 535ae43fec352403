#include "fib.h"

static int results[100];

int fib(int n) {
  int x;
  int y;
  if (n < 2) {
    return n;
  }
#pragma omp task shared(x)
  x = fib(n - 1);
#pragma omp task shared(y)
  y = fib(n - 2);
#pragma omp taskwait
  return x + y;
}

// Leaves its tasks to the caller.
void fibs(int n) {
  for (int i = 0; i < n; i++) {
#pragma omp task
    results[i] = fib(i % 15);
  }
}

int total(void) {
  int sum = 0;
  for (int i = 0; i < 100; i++) {
    sum += results[i];
  }
  return sum;
}
