// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// matmul.fa as one OpenMP region over whole matrices.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  if (argc != 4) {
    return 2;
  }
  const int blocks = atoi(argv[1]);
  const int size = atoi(argv[2]);
  const int times = atoi(argv[3]);
  const int n = blocks * size;
  double *a = malloc(sizeof(double) * n * n);
  double *b = malloc(sizeof(double) * n * n);
  double *c = malloc(sizeof(double) * n * n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const int row = i / size, column = j / size, inside = i % size * 7 + j % size * 11;
      a[i * n + j] = (row * 3 + column * 5 + inside) % 13;
      b[i * n + j] = (column * 3 + row * 5 + inside) % 13;
      c[i * n + j] = (row * 3 + row * 5 + inside) % 13;
    }
  }
  for (int t = 0; t < times; ++t) {
#pragma omp parallel for collapse(2)
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        double cell = c[i * n + j];
        for (int k = 0; k < n; ++k) {
          cell += a[i * n + k] * b[k * n + j];
        }
        c[i * n + j] = cell;
      }
    }
  }
  double sum = 0;
  for (int i = 0; i < n * n; ++i) {
    sum += c[i];
  }
  printf("sum %.17g\n", sum);
  free(a);
  free(b);
  free(c);
  return 0;
}
