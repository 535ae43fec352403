// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// examples/matmul with MPI by hand: blocks of rows, the right factor gathered once.
#include "parallel.h"

static void multiply(Block own, int n, const double *restrict a, const double *restrict b,
                     double *restrict c) {
#pragma omp parallel for
  for (long i = own.lower; i < own.upper; ++i) {
    for (int j = 0; j < n; ++j) {
      c[(size_t)i * n + j] = 0.0;
    }
    for (int k = 0; k < n; ++k) {
      const double factor = a[(size_t)i * n + k];
      for (int j = 0; j < n; ++j) {
        c[(size_t)i * n + j] += factor * b[(size_t)k * n + j];
      }
    }
  }
}

int main(int argc, char **argv) {
  start(&argc, &argv);
  const int n = argc > 1 ? atoi(argv[1]) : 256;
  const int repetitions = argc > 2 ? atoi(argv[2]) : 2;
  const size_t bytes = (size_t)n * n * sizeof(double);
  double *a = malloc(bytes);
  double *b = malloc(bytes);
  double *c = malloc(bytes);
  double *x = malloc((size_t)n * sizeof *x);
  double *y = malloc((size_t)n * sizeof *y);
  const Block own = blockOf(rank, n);
#pragma omp parallel for
  for (long i = own.lower; i < own.upper; ++i) {
    for (int j = 0; j < n; ++j) {
      a[(size_t)i * n + j] = (double)((i + 2 * j) % 17) / 17.0;
      b[(size_t)i * n + j] = (double)((3 * i + j) % 13) / 13.0;
    }
    x[i] = 1.0 / (double)(i + 1);
  }
  allGather(b, n, n);
  allGather(x, n, 1);
  for (int r = 0; r < repetitions; ++r) {
    multiply(own, n, a, b, c);
  }
#pragma omp parallel for
  for (long i = own.lower; i < own.upper; ++i) {
    double dot = 0.0;
    for (int j = 0; j < n; ++j) {
      dot += c[(size_t)i * n + j] * x[j];
    }
    y[i] = dot;
  }

  double trace = 0.0;
  for (long i = own.lower; i < own.upper; ++i) {
    trace += c[(size_t)i * n + i];
  }
  trace = sumToZero(trace);
  gatherToZero(y, n, 1);
  if (rank == 0) {
    double checksum = 0.0;
    for (int i = 0; i < n; ++i) {
      checksum += y[i];
    }
    printf("matmul %d, %d repetitions\n", n, repetitions);
    printf("trace %.9e\n", trace);
    printf("checksum %.9e\n", checksum);
  }
  free(a);
  free(b);
  free(c);
  free(x);
  free(y);
  finish();
  return 0;
}
