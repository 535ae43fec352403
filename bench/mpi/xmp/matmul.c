// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// examples/xmp/matmul with MPI by hand.
#include "halo.h"

#ifndef N
#define N 144
#endif
#ifndef TIMES
#define TIMES 1
#endif

static double row[N];

int main(int argc, char **argv) {
  start(&argc, &argv);
  const Block own = evenBlock(rank, ranks, N);
  const long height = own.upper - own.lower;
  double(*const restrict a)[N] = malloc((size_t)height * sizeof *a);
  double(*const restrict b)[N] = malloc((size_t)height * sizeof *b);
  double(*const restrict c)[N] = malloc((size_t)height * sizeof *c);
  for (long i = 0; i < height; ++i) {
    for (long j = 0; j < N; ++j) {
      a[i][j] = (double)(((i + own.lower) * 7 + j * 3) % 11);
      b[i][j] = (double)((i + own.lower + j * 5) % 13);
      c[i][j] = 0;
    }
  }
  const int length = (N + ranks - 1) / ranks;
  for (int time = 0; time < TIMES; ++time) {
    for (int k = 0; k < N; ++k) {
      if (k / length == rank) {
        for (int j = 0; j < N; ++j) {
          row[j] = b[k - own.lower][j];
        }
      }
      MPI_Bcast(row, N, MPI_DOUBLE, k / length, MPI_COMM_WORLD);
      if (k / length != rank) {
        countedBytes += N * 8LL;
        ++countedMessages;
      }
      for (long i = 0; i < height; ++i) {
        for (int j = 0; j < N; ++j) {
          c[i][j] += a[i][k] * row[j];
        }
      }
    }
  }
  double sum = 0;
  for (long i = 0; i < height; ++i) {
    for (long j = 0; j < N; ++j) {
      sum += c[i][j] * (double)(1 + (i + own.lower + 2 * j) % 5);
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("sum %.10g\n", sum);
  }
  finish();
  return 0;
}
