// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over two of several arrays at a time, with a sum; sequential code reads and writes between.
#include <stdio.h>
#include <stdlib.h>

enum { ARRAYS = 6, ROUNDS = 4 };

int main(int argc, char **argv) {
  const long n = argc > 1 ? atol(argv[1]) : 3000;
  double *arrays[ARRAYS];
  for (int k = 0; k < ARRAYS; ++k) {
    arrays[k] = malloc(n * sizeof(double));
    for (long i = 0; i < n; ++i) {
      arrays[k][i] = (double)(i % 100 + k);
    }
  }
  for (int round = 0; round < ROUNDS; ++round) {
    double sum = 0;
    for (int k = 0; k < ARRAYS; ++k) {
      double *a = arrays[k];
      const double *b = arrays[(k + 1) % ARRAYS];
#pragma omp parallel for reduction(+ : sum)
      for (long i = 0; i < n; ++i) {
        a[i] += 0.5 * b[i];
        sum += a[i];
      }
    }
    printf("%.12g %.12g\n", sum, arrays[round][n / 2]);
    arrays[(round + 3) % ARRAYS][n / 3] += 7;
  }
  for (int k = 0; k < ARRAYS; ++k) {
    double sum = 0;
    for (long i = 0; i < n; ++i) {
      sum += arrays[k][i] * (double)(i % 7);
    }
    printf("%.12g\n", sum);
  }
  return 0;
}
