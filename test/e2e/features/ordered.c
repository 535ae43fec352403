// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Ordered regions, doacross dependences and scans keep their order.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int n = 60;
  int *a = malloc((size_t)n * sizeof *a);
  long trail = 1;
#pragma omp parallel for ordered
  for (int i = 0; i < n; ++i) {
    a[i] = i * i;
#pragma omp ordered
    trail = (trail * 31 + a[i]) % 1000003;
  }
  printf("ordered %ld\n", trail);
#pragma omp parallel for ordered(1)
  for (int i = 1; i < n; ++i) {
#pragma omp ordered depend(sink : i - 1)
    a[i] += a[i - 1] % 7;
#pragma omp ordered depend(source)
  }
  int sum = 0;
  int *prefix = malloc((size_t)n * sizeof *prefix);
#pragma omp parallel for reduction(inscan, + : sum)
  for (int i = 0; i < n; ++i) {
    sum += a[i];
#pragma omp scan inclusive(sum)
    prefix[i] = sum;
  }
  printf("scan %d %d %d\n", prefix[0], prefix[n / 2], prefix[n - 1]);
  free(a);
  free(prefix);
  return 0;
}
