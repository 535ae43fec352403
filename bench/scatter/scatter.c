// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Adds to elements of a large array through an index that permutes them: all, or one in `every`.
///
/// usage: scatter [elements] [every] [rounds]
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  const long elements = argc > 1 ? atol(argv[1]) : 1L << 24;
  const long every = argc > 2 ? atol(argv[2]) : 100;
  const int rounds = argc > 3 ? atoi(argv[3]) : 10;
  const long written = elements / every;
  int *index = malloc((size_t)written * sizeof *index);
  double *y = calloc((size_t)elements, sizeof *y);
  double *x = malloc((size_t)written * sizeof *x);
  const long step = 2654435761L % elements | 1; // No two the same if the number is a power of two.
  for (long i = 0; i < written; ++i) {
    index[i] = (int)((unsigned long)(i * step) % (unsigned long)elements);
    x[i] = 1.0 + (double)(i % 7);
  }
  double begin = 0.0;
  for (int round = 0; round < rounds + 2; ++round) {
    if (round == 2) {
      begin = omp_get_wtime();
    }
#pragma omp parallel for
    for (long i = 0; i < written; ++i) {
      y[index[i]] += x[i];
    }
  }
  const double seconds = omp_get_wtime() - begin;
  double sum = 0.0;
  for (long i = 0; i < elements; ++i) {
    sum += y[i] * (double)(i % 5);
  }
  printf("scatter %ld %ld %.6f seconds a round, checksum %.17g\n", elements, every,
         seconds / rounds, sum);
  free(index);
  free(y);
  free(x);
  return 0;
}
