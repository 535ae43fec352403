// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A chunk size that is known only at run time.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 777;
  double *a = malloc((size_t)n * sizeof *a);
  for (int chunk = 1; chunk < 2000; chunk *= 5) {
#pragma omp parallel for schedule(static, chunk)
    for (int i = 0; i < n; ++i) {
      a[i] = i * 0.5 + chunk;
    }
    double sum = 0.0;
#pragma omp parallel for schedule(dynamic, chunk) reduction(+ : sum)
    for (int i = 0; i < n; ++i) {
      sum += a[i];
    }
    printf("chunk %d sum %.6f last %.6f\n", chunk, sum, a[n - 1]);
  }
  free(a);
  return 0;
}
