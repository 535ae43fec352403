// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What threads read beside a worksharing loop, on the other side of a barrier, and the loop
/// changes: before it, between two loops, and after it for the result of the construct.
#include <stdio.h>
#include <stdlib.h>

static double sum(const double *of, int n) {
  double total = 0;
  for (int i = 0; i < n; ++i) {
    total += of[i] * (i % 7);
  }
  return total;
}

int main(void) {
  const int n = 2000;
  double *a = malloc((size_t)n * sizeof *a), most = 0;
  for (int i = 0; i < n; ++i) {
    a[i] = i % 101;
  }
#pragma omp parallel
  {
    const double one = a[5];
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < n; ++i) {
      a[i] = a[i] * 0.5 + one;
    }
  }
  printf("before %.9e\n", sum(a, n));
#pragma omp parallel reduction(max : most)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) {
      a[i] = a[i] * 2;
    }
    for (int i = 0; i < n; ++i) {
      most = a[i] > most ? a[i] : most;
    }
  }
  printf("after %g\n", most);
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) {
      a[i] += 1;
    }
    const double one = a[1500];
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < n; ++i) {
      a[i] = a[i] + one;
    }
  }
  printf("between %.9e\n", sum(a, n));
  free(a);
  return 0;
}
