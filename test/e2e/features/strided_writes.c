// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Interleaved, shifted, transposed and reversed writes.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1200, M = 61 };

static int matrix[M][M];
static int transposed[M][M];

int main(void) {
  int *a = calloc(3 * N, sizeof *a);
  int *b = calloc(3 * N, sizeof *b);
  char *bytes = calloc(N, 1);
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    a[3 * i] = i;
  }
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    a[3 * i + 1] = -i;
    a[3 * i + 2] = a[3 * i] * 2;
  }
#pragma omp parallel for
  for (int i = 0; i < 3 * N; ++i) {
    b[3 * N - 1 - i] = a[i];
  }
#pragma omp parallel for
  for (int i = 0; i < 3 * N - 5; ++i) {
    a[i] = b[i + 5];
  }
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < N; ++i) {
    bytes[i] = (char)(i * 7);
  }
#pragma omp parallel for
  for (int i = 0; i < N; i += 2) {
    bytes[i] ^= 5;
  }
#pragma omp parallel for
  for (int i = 1; i < N; i += 2) {
    bytes[i] += bytes[i - 1];
  }
#pragma omp parallel for
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < M; ++j) {
      matrix[i][j] = i * 1000 + j;
    }
  }
#pragma omp parallel for
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < M; ++j) {
      transposed[j][i] = matrix[i][j];
    }
  }
#pragma omp parallel for
  for (int j = 0; j < M; ++j) {
    for (int i = 1; i < M; ++i) {
      matrix[i][j] += matrix[i - 1][j] % 17;
    }
  }
#pragma omp parallel for
  for (int i = 0; i < M; ++i) {
    for (int j = 1; j < M; ++j) {
      matrix[i][j] += matrix[i][j - 1] % 19 - transposed[i][j] % 3;
    }
  }
  long sum = 0;
  for (int i = 0; i < 3 * N; ++i) {
    sum = (sum * 7 + a[i] - b[i]) % 1000000007;
  }
  for (int i = 0; i < N; ++i) {
    sum = (sum * 7 + bytes[i]) % 1000000007;
  }
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < M; ++j) {
      sum = (sum * 7 + matrix[i][j] + transposed[i][j]) % 1000000007;
    }
  }
  printf("sum %ld\n", sum);
  free(a);
  free(b);
  free(bytes);
  return 0;
}
