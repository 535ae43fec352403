// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Collapsed loops, rectangular and triangular.
#include <stdio.h>
#include <stdlib.h>

enum { A = 13, B = 17, C = 5 };

static int cube[A][B][C];

int main(void) {
  int *plane = calloc(A * B, sizeof *plane);
#pragma omp parallel for collapse(2)
  for (int i = 0; i < A; ++i) {
    for (int j = 0; j < B; ++j) {
      plane[i * B + j] = i * 100 + j;
    }
  }
#pragma omp parallel for collapse(3) schedule(static, 4)
  for (int i = 0; i < A; ++i) {
    for (int j = 0; j < B; ++j) {
      for (int k = 0; k < C; ++k) {
        cube[i][j][k] = plane[i * B + j] * 10 + k;
      }
    }
  }
  long sum = 0;
#pragma omp parallel for collapse(2) reduction(+ : sum)
  for (int i = A - 1; i >= 0; i -= 2) {
    for (int j = 1; j < B; j += 3) {
      sum += cube[i][j][i % C];
    }
  }
  printf("strided %ld\n", sum);
  sum = 0;
#pragma omp parallel for collapse(2) reduction(+ : sum)
  for (int i = 0; i < A; ++i) {
    for (int j = 0; j <= i; ++j) {
      sum += cube[i][j][0] + cube[j][i][1];
    }
  }
  printf("triangular %ld\n", sum);
#pragma omp parallel for collapse(2)
  for (unsigned i = 0; i < A; ++i) {
    for (long j = B; j > 0; --j) {
      plane[i * B + j - 1] -= (int)(i + j);
    }
  }
  sum = 0;
  for (int at = 0; at < A * B; ++at) {
    sum = sum * 3 % 1000003 + plane[at];
  }
  printf("mixed counters %ld\n", sum);
  free(plane);
  return 0;
}
