// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Threadprivate and thread-local variables, copyin, copyprivate.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int seed = 4;
#pragma omp threadprivate(seed)
static _Thread_local double scratch[8];

int main(void) {
  const int n = 400;
  double *a = calloc((size_t)n, sizeof *a);
  seed = 11;
#pragma omp parallel copyin(seed)
  {
    seed += 1;
#pragma omp for
    for (int i = 0; i < n; ++i) {
      a[i] += seed;
    }
    int shared_seed;
#pragma omp single copyprivate(shared_seed)
    shared_seed = 99;
#pragma omp for
    for (int i = 0; i < n; ++i) {
      a[i] += shared_seed;
    }
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 8; ++k) {
      scratch[k] = i * k;
    }
    double sum = 0.0;
    for (int k = 0; k < 8; ++k) {
      sum += scratch[k];
    }
    a[i] += sum;
  }
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    sum += a[i];
  }
  printf("sum %.3f\n", sum);
  free(a);
  return 0;
}
