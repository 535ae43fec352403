// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARGS: 5 3
// THREADS: 1
/// \file
/// Writes through computed indices by a program that asks how many threads there are. Where it hears
/// of one, loops may depend on the order of their iterations: one whose indices are a permutation
/// does not; one that meets elements twice does, and so does one that reads what another iteration
/// writes. The permutation keeps to its neighbourhood, so parts of the loop write pages of their own;
/// in the round that the second argument names two of its indices change. What that moves is asserted
/// in counters.py.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { ELEMENTS = 262144, NEAR = 64, BINS = 1000 };

static void permute(int *index, int from, int to) {
  for (int i = from; i < to; ++i) {
    index[i] = i / NEAR * NEAR + i % NEAR * 37 % NEAR;
  }
}

/// Each element by one iteration, unless the index says otherwise.
static void move(int n, const int *index, double *to, const double *from) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    to[index[i]] = 0.5 * to[index[i]] + from[i];
  }
}

/// Fields of structures.
typedef struct {
  float weight;
  int count;
} Cell;

static void mark(int n, const int *index, Cell *cells) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (index[i] > 1000) {
      cells[index[i]].count += i;
      cells[index[i]].weight = 0.5F * cells[index[i]].weight + (float)(i % 5);
    }
  }
}

/// Where there is one thread the order counts; where there are several all add the same.
static void fill(int n, const int *bin, double *bins, int threads) {
  if (threads > 1) {
    return;
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    bins[bin[i]] = 0.5 * bins[bin[i]] + i;
  }
}

/// Each iteration reads what the one before has written.
static void chain(int n, const int *index, double *to, int threads) {
  if (threads > 1) {
    return;
  }
#pragma omp parallel for
  for (int i = 1; i < n; ++i) {
    to[index[i]] += 0.5 * to[index[i - 1]];
  }
}

/// In the order of memory, not of the index.
static double smooth(int n, double *values) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    values[i] *= 0.75;
    sum += i % 5 == 0 ? values[i] : 0;
  }
  return sum;
}

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 2;
  const int changed = argc > 2 ? atoi(argv[2]) : 0;
  const int ordered = argc > 3 ? atoi(argv[3]) : 1;
  const int threads = omp_get_max_threads();
  int *index = malloc(ELEMENTS * sizeof *index);
  int *bin = malloc(ELEMENTS * sizeof *bin);
  double *from = malloc(ELEMENTS * sizeof *from);
  double *to = malloc(ELEMENTS * sizeof *to);
  double *bins = calloc(BINS, sizeof *bins);
  Cell *cells = calloc(ELEMENTS, sizeof *cells);
  permute(index, 0, ELEMENTS);
  for (int i = 0; i < ELEMENTS; ++i) {
    bin[i] = (int)(i * 7919L % BINS);
    from[i] = i % 17;
    to[i] = 1;
  }
  double sum = 0;
  for (int round = 1; round <= rounds; ++round) {
    if (round == changed) { // Two iterations far from one another change places, or meet.
      index[1] = threads > 1 ? index[ELEMENTS - 2] : index[ELEMENTS - 1];
      index[ELEMENTS - 2] = threads > 1 ? 1 * 37 % NEAR : index[ELEMENTS - 2];
    }
    move(ELEMENTS, index, to, from);
    mark(ELEMENTS, index, cells);
    sum += smooth(ELEMENTS, to);
    if (ordered) {
      fill(ELEMENTS, bin, bins, threads);
      chain(ELEMENTS / 8, index, to, threads);
    }
  }
  double all = 0;
  long count = 0;
  for (int i = 0; i < ELEMENTS; ++i) {
    all += to[i] * (i % 11);
    count = 3 * count % 1000003 + cells[i].count % 1000 + (long)(4 * cells[i].weight);
  }
  for (int i = 0; i < BINS; ++i) {
    all += bins[i] * (i % 7);
  }
  printf("%.12g %.12g %ld\n", sum, all, count);
  free(index);
  free(bin);
  free(from);
  free(to);
  free(bins);
  free(cells);
  return 0;
}
