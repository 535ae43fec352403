// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tasks, taskloops and task dependences.
#include <stdio.h>
#include <stdlib.h>

static long fibonacci(int n) {
  if (n < 2) {
    return n;
  }
  long a, b;
#pragma omp task shared(a) if (n > 12)
  a = fibonacci(n - 1);
#pragma omp task shared(b) if (n > 12)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

int main(void) {
  const int n = 1000;
  long *a = malloc((size_t)n * sizeof *a);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a[i] = i;
  }
  long result = 0;
#pragma omp parallel
#pragma omp single
  result = fibonacci(18);
  printf("fibonacci %ld\n", result);

  long sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(50)
    for (int i = 0; i < n; ++i) {
      a[i] *= 2;
    }
#pragma omp task depend(inout : a[0])
    a[0] += 5;
#pragma omp task depend(inout : a[0])
    a[0] *= 3;
#pragma omp taskwait
  }
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    sum += a[i];
  }
  printf("sum %ld\n", sum);
  free(a);
  return 0;
}
