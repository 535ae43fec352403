// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Combined constructs: parallel for simd, teams distribute, loop, target on the host.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int n = 1111;
  float *a = malloc((size_t)n * sizeof *a);
  float *b = malloc((size_t)n * sizeof *b);
  double sum = 0.0;
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i) {
    a[i] = (float)(i % 100);
    b[i] = 1.0f;
  }
#pragma omp parallel for simd reduction(+ : sum) aligned(a : 4) safelen(8)
  for (int i = 0; i < n; ++i) {
    sum += a[i] * b[i];
  }
  printf("simd %.3f\n", sum);
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n]) map(to : b[0 : n])
  for (int i = 0; i < n; ++i) {
    a[i] += b[i];
  }
#pragma omp teams distribute parallel for
  for (int i = 0; i < n; ++i) {
    b[i] = 2.0f * a[i];
  }
#pragma omp parallel loop
  for (int i = 0; i < n; ++i) {
    a[i] -= 0.5f * b[i] - 3.0f;
  }
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    sum += a[i] + b[i];
  }
  printf("all %.3f\n", sum);
  free(a);
  free(b);
  return 0;
}
