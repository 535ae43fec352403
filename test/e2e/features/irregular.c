// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Gathers, scatters, histograms: accesses without a closed form.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int n = 4000;
  int *index = malloc((size_t)n * sizeof *index);
  double *a = malloc((size_t)n * sizeof *a);
  double *b = malloc((size_t)n * sizeof *b);
  int histogram[32] = {0};
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    index[i] = (int)((i * 1237L + 11) % n);
    a[i] = i * 0.5;
    b[i] = 0.0;
  }
  for (int step = 0; step < 3; ++step) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      b[i] += a[index[i]];
    }
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      a[index[i]] = b[i] + step;
    }
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
#pragma omp atomic
      ++histogram[((int)a[i]) & 31];
    }
    index[step] = index[n - 1 - step];
    index[n - 1 - step] = step;
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      index[i] = (int)((i * 1237L + 11 + step) % n);
    }
  }
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    sum += a[i] * (i % 3) + b[i];
  }
  printf("sum %.6f\n", sum);
  for (int k = 0; k < 32; ++k) {
    printf("%d ", histogram[k]);
  }
  printf("\n");

  /* A sparse matrix times a vector. */
  const int rows = 500;
  int *start = malloc((size_t)(rows + 1) * sizeof *start);
  start[0] = 0;
  for (int i = 0; i < rows; ++i) {
    start[i + 1] = start[i] + i % 7;
  }
  int *column = malloc((size_t)start[rows] * sizeof *column);
  double *value = malloc((size_t)start[rows] * sizeof *value);
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    for (int k = start[i]; k < start[i + 1]; ++k) {
      column[k] = (i * 13 + k) % rows;
      value[k] = 1.0 / (k + 1);
    }
  }
  for (int step = 0; step < 4; ++step) {
#pragma omp parallel for schedule(guided)
    for (int i = 0; i < rows; ++i) {
      double dot = 0.0;
      for (int k = start[i]; k < start[i + 1]; ++k) {
        dot += value[k] * a[column[k]];
      }
      b[i] = dot;
    }
#pragma omp parallel for
    for (int i = 0; i < rows; ++i) {
      a[i] = b[i] * 0.9 + 0.1;
    }
  }
  sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < rows; ++i) {
    sum += a[i];
  }
  printf("sparse %.9f\n", sum);
  free(index);
  free(a);
  free(b);
  free(start);
  free(column);
  free(value);
  return 0;
}
