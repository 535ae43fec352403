// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Inner bounds that follow the outer counter: LU decomposition and forward substitution.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int n = 90;
  double *m = malloc((size_t)n * n * sizeof *m);
  double *x = malloc((size_t)n * sizeof *x);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      m[i * n + j] = i == j ? n + 1.0 : 1.0 / (1 + abs(i - j));
    }
    x[i] = i % 7;
  }
  for (int k = 0; k < n - 1; ++k) {
#pragma omp parallel for
    for (int i = k + 1; i < n; ++i) {
      m[i * n + k] /= m[k * n + k];
      for (int j = k + 1; j < n; ++j) {
        m[i * n + j] -= m[i * n + k] * m[k * n + j];
      }
    }
  }
  for (int i = 0; i < n; ++i) {
    double dot = 0.0;
#pragma omp parallel for reduction(+ : dot)
    for (int j = 0; j < i; ++j) {
      dot += m[i * n + j] * x[j];
    }
    x[i] -= dot;
  }
  double logarithm = 0.0;
  double sum = 0.0;
#pragma omp parallel for reduction(+ : logarithm, sum)
  for (int i = 0; i < n; ++i) {
    logarithm += log(fabs(m[i * n + i]));
    for (int j = i; j < n; ++j) {
      sum += m[i * n + j];
    }
  }
  double check = 0.0;
  for (int i = 0; i < n; ++i) {
    check += x[i] * (i + 1);
  }
  printf("determinant %.9f upper %.9f solution %.9f\n", logarithm, sum, check);
  free(m);
  free(x);
  return 0;
}
