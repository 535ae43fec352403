// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reads through computed indices from every kind of object, through pointers to its begin, its
/// middle and one past its end; indices reach both ends, and the tables change in between.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tables.h"

enum { N = 2500 };

static double own[700];
static float narrow[5] = {1, 2, 3, 4, 5};

static double sumOf(const double *values, long n) {
  double sum = 0.0;
  for (long i = 0; i < n; ++i) {
    sum += values[i] * (double)(i % 11 + 1);
  }
  return sum;
}

/// Indices over all of `extent` elements, the first and the last among them, as seen from `origin`.
static void spread(long *index, long extent, long origin) {
  for (long i = 0; i < N; ++i) {
    index[i] = (i * 7919 + 13) % extent - origin;
  }
  index[0] = -origin;
  index[N - 1] = extent - 1 - origin;
}

static void fill(double *values, long n, double scale) {
  for (long i = 0; i < n; ++i) {
    values[i] = scale * (double)(i + 1);
  }
}

static void heapObjects(double *out, long *index) {
  for (long bytes = 16; bytes <= 128 << 10; bytes *= 2) {
    const long extent = bytes / (long)sizeof(double);
    // Neighbours of the same size: the end of one is the begin of the next, or nearly so.
    double *before = malloc((size_t)bytes);
    double *x = malloc((size_t)bytes);
    double *behind = malloc((size_t)bytes);
    fill(before, extent, -1.0);
    fill(x, extent, 0.5);
    fill(behind, extent, -2.0);
    const long origins[] = {0, extent / 2, extent};
    for (int k = 0; k < 3; ++k) {
      spread(index, extent, origins[k]);
      gather(N, out, x + origins[k], index);
      printf("heap %ld %d %.3f\n", bytes, k, sumOf(out, N));
    }
    x = realloc(x, (size_t)bytes * 3);
    fill(x + extent, 2 * extent, 3.0);
    spread(index, 3 * extent, 0);
    gather(N, out, x, index);
    printf("realloc %ld %.3f\n", bytes, sumOf(out, N));
    x[3 * extent - 1] += 100.0;
    gather(N, out, x, index);
    printf("changed %ld %.3f\n", bytes, sumOf(out, N));
    free(before);
    free(x);
    free(behind);
  }
}

static void staticObjects(double *out, long *index) {
  for (int round = 0; round < 2; ++round) {
    for (int which = 0; which < POINTERS; ++which) {
      const long extent = extentOf(which);
      fill(pointerTo(which) - positionOf(which), extent, which + 1.5 + round);
      spread(index, extent, positionOf(which));
      gather(N, out, pointerTo(which), index);
      printf("static %d %.3f\n", which, sumOf(out, N));
    }
  }
  spread(index, TABLE, 0);
  fill(table, TABLE, 0.125);
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    out[i] = table[index[i]];
  }
  printf("extern %.3f\n", sumOf(out, N));
  spread(index, 3, 0);
  named.values[2] = 9.0;
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    out[i] = named.values[index[i]];
  }
  printf("flexible %.3f\n", sumOf(out, N));
  for (int round = 0; round < 3; ++round) {
    spread(index, 700, 0);
    fill(own, 700, round + 1.0);
    narrow[round] += 1.0f;
#pragma omp parallel for
    for (int i = 0; i < N; ++i) {
      out[i] = own[index[i]] + (double)narrow[index[i] % 5];
    }
    printf("own %.3f\n", sumOf(out, N));
  }
}

__attribute__((noinline)) static void stackObjects(double *out, long *index, long n) {
  double local[300];
  double variable[n];
  double huge[20000];
  for (int round = 0; round < 3; ++round) {
    fill(local, 300, 1.0 + round);
    fill(variable, n, 2.0 + round);
    fill(huge, 20000, 3.0 + round);
    spread(index, 300, 0);
#pragma omp parallel for
    for (int i = 0; i < N; ++i) {
      out[i] = local[index[i]];
    }
    printf("local %.3f\n", sumOf(out, N));
    spread(index, n, 0);
#pragma omp parallel for
    for (int i = 0; i < N; ++i) {
      out[i] = variable[index[i]];
    }
    printf("variable %.3f\n", sumOf(out, N));
    gather(N, out, local, index);
    printf("local by pointer %.3f\n", sumOf(out, N));
    gather(N, out, variable, index);
    printf("variable by pointer %.3f\n", sumOf(out, N));
    spread(index, 20000, 0);
#pragma omp parallel for
    for (int i = 0; i < N; ++i) {
      out[i] = huge[index[i]];
    }
    printf("huge %.3f\n", sumOf(out, N));
  }
}

/// What an iteration reads through an index it alone writes, or nobody does.
static void inPlace(long *index) {
  enum { EXTENT = 2 * N };

  double *x = malloc(EXTENT * sizeof *x);
  fill(x, EXTENT, 1.0);
  for (int round = 0; round < 4; ++round) {
    for (long i = 0; i < N; ++i) {
      index[i] = i % 3 == 0 ? i : N + (i * 31 + round) % N;
    }
#pragma omp parallel for
    for (long i = 0; i < N; ++i) {
      x[i] = 0.5 * x[i] + 0.25 * x[index[i]];
    }
    x[N + round] = -x[N + round];
  }
  printf("in place %.6f\n", sumOf(x, EXTENT));
  free(x);
}

int main(int argc, char **argv) {
  (void)argv;
  double *out = malloc(N * sizeof *out);
  long *index = malloc(N * sizeof *index);
  double inMain[100];
  fill(inMain, 100, 7.0);
  spread(index, 100, 0);
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    out[i] = inMain[index[i]];
  }
  printf("in main %.3f\n", sumOf(out, N));
  heapObjects(out, index);
  staticObjects(out, index);
  stackObjects(out, index, 122 + argc);
  inPlace(index);
  free(out);
  free(index);
  return 0;
}
