// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Writes through computed indices whose neighbours in memory belong to other iterations: elements
/// of all sizes, members of structures, several arrays of one loop, rows with computed begins, and
/// such loops with reductions and last values.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 5000, kRounds = 3 };

typedef struct {
  char tag;
  short code;
  int count;
  double weight;
  char name[5];
} Item;

static int permuted[N];
static int reversed[N];
static Item items[N];

static uint64_t hashOf(const void *memory, size_t bytes) {
  const unsigned char *at = memory;
  uint64_t hash = 1469598103934665603U;
  for (size_t i = 0; i < bytes; ++i) {
    hash = (hash ^ at[i]) * 1099511628211U;
  }
  return hash;
}

/// Neighbouring elements come from iterations far apart. Some get the value that they have.
#define SCATTER(T)                                                                                 \
  static void scatter_##T(void) {                                                                  \
    T *to = malloc(N * sizeof *to);                                                                \
    for (int i = 0; i < N; ++i) {                                                                  \
      to[i] = (T)(i % 50);                                                                         \
    }                                                                                              \
    for (int round = 0; round < kRounds; ++round) {                                                \
      _Pragma("omp parallel for") for (int i = 0; i < N - 7; ++i) {                                \
        to[permuted[i]] = (T)(permuted[i] % 3 == 0 ? permuted[i] % 50 : 3 * i + round);            \
      }                                                                                            \
      to[permuted[N - 1 - round]] = (T)(17 + round);                                               \
      printf(#T " %016llx\n", (unsigned long long)hashOf(to, N * sizeof *to));                     \
    }                                                                                              \
    free(to);                                                                                      \
  }

SCATTER(int8_t)
SCATTER(uint16_t)
SCATTER(int32_t)
SCATTER(float)
SCATTER(int64_t)
SCATTER(double)

/// Different members of one structure are written by different iterations, all of another by one.
static void members(void) {
  Item *whole = calloc(N, sizeof *whole);
  for (int round = 0; round < kRounds; ++round) {
#pragma omp parallel for
    for (int i = 0; i < N; ++i) {
      items[permuted[i]].tag = (char)(i + round);
      items[reversed[i]].code = (short)(2 * i + round);
      items[permuted[i]].weight += i * 0.5;
      items[reversed[i]].name[(i + round) % 5] = (char)('a' + i % 26);
    }
#pragma omp parallel for
    for (int i = 0; i < N; i += 2) {
      whole[permuted[i]] = items[i];
      whole[permuted[i]].count = round;
    }
    uint64_t hash = 0;
    for (int i = 0; i < N; ++i) {
      hash = hash * 31 + (uint64_t)(items[i].tag + items[i].code) +
             (uint64_t)(items[i].weight * 2 + whole[i].weight) + hashOf(items[i].name, 5) +
             hashOf(whole[i].name, 5) + (uint64_t)(whole[i].count + whole[i].code);
    }
    printf("members %016llx\n", (unsigned long long)hash);
  }
  free(whole);
}

/// Every iteration counts in a row of its own.
static void histograms(void) {
  enum { ROWS = 60, BINS = 33 };

  unsigned char *key = malloc(ROWS * 100);
  unsigned *row = calloc(ROWS * BINS, sizeof *row);
  for (int i = 0; i < ROWS * 100; ++i) {
    key[i] = (unsigned char)(i * 7919L % 251);
  }
  for (int round = 0; round < kRounds; ++round) {
#pragma omp parallel for schedule(dynamic)
    for (int r = 0; r < ROWS; ++r) {
      for (int k = 0; k < 100; ++k) {
        ++row[r * BINS + (key[100 * r + k] + round) % BINS];
      }
    }
    printf("histograms %016llx\n", (unsigned long long)hashOf(row, ROWS * BINS * sizeof *row));
  }
  free(key);
  free(row);
}

/// A sparse matrix is transposed: columns, values and the cursor of each row.
static void assemble(void) {
  enum { ROWS = 700 };

  int *start = malloc((ROWS + 1) * sizeof *start);
  start[0] = 0;
  for (int r = 0; r < ROWS; ++r) {
    start[r + 1] = start[r] + (r * 5 + 3) % 9;
  }
  const int entries = start[ROWS];
  int *column = malloc((size_t)entries * sizeof *column);
  double *value = malloc((size_t)entries * sizeof *value);
  int *cursor = malloc(ROWS * sizeof *cursor);
  for (int round = 0; round < kRounds; ++round) {
    double total = 0.0;
    int last = -1;
#pragma omp parallel for reduction(+ : total) lastprivate(last)
    for (int i = 0; i < ROWS; ++i) {
      const int r = (i * 37 + round) % ROWS;
      cursor[r] = start[r];
      while (cursor[r] < start[r + 1]) {
        const int at = cursor[r]++;
        column[at] = (at * 13 + r) % ROWS;
        value[at] = 0.125 * at + round;
        total += value[at];
      }
      last = cursor[r];
    }
    printf("assemble %.3f %d %016llx %016llx %016llx\n", total, last,
           (unsigned long long)hashOf(column, (size_t)entries * sizeof *column),
           (unsigned long long)hashOf(value, (size_t)entries * sizeof *value),
           (unsigned long long)hashOf(cursor, ROWS * sizeof *cursor));
  }
  free(start);
  free(column);
  free(value);
  free(cursor);
}

/// What was merged is read in parts, whole, through indices, and by sequential code; then merged
/// again.
static void inTurn(void) {
  double *to = calloc(N, sizeof *to);
  double *next = calloc(N, sizeof *next);
  for (int round = 0; round < 2 * kRounds; ++round) {
#pragma omp parallel for
    for (int i = 0; i < N; ++i) {
      to[permuted[i]] += i + round;
    }
#pragma omp parallel for
    for (int i = 1; i < N - 1; ++i) {
      next[i] = 0.5 * (to[i - 1] + to[i + 1]) + to[reversed[i]];
    }
    double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < N; ++i) {
      to[reversed[i]] = next[i] / 4;
      sum += next[i] > 1000.0 ? 1.0 : 0.0;
    }
    if (round % 2 == 1) {
      to[round] += 1.0;
      printf("in turn %.1f %016llx\n", sum, (unsigned long long)hashOf(to, N * sizeof *to));
    }
  }
  free(to);
  free(next);
}

int main(void) {
  for (int i = 0; i < N; ++i) {
    permuted[i] = (int)((i * 1237L + 11) % N);
    reversed[i] = N - 1 - permuted[i];
  }
  scatter_int8_t();
  scatter_uint16_t();
  scatter_int32_t();
  scatter_float();
  scatter_int64_t();
  scatter_double();
  members();
  histograms();
  assemble();
  inTurn();
  return 0;
}
