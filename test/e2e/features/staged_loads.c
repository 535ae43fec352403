// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inner loops over what all iterations read: kernels load it in blocks, through local memory. With
// numbers of iterations that no group and no block divides, none at all, and with small grids.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  double x;
  int weight;
} Source;

typedef struct {
  double sum;
  long last;
} Result;

enum { kMost = 1500 };

static Source sources[kMost];
static Result results[kMost];
static float table[kMost];

// Types tell what is written from what is read.
static void attract(int n, int m, const Source *from, Result *to) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < m; ++j) {
      sum += from[j].weight * (from[j].x - i);
    }
    to[i].sum += sum;
    to[i].last = i;
  }
}

// Only pointers tell it, when the loop is launched; work-items execute several iterations.
static void spread(long n, long m, long step, const long *from, long *to) {
#pragma tutti grid(3) block(20)
#pragma omp parallel for schedule(dynamic, 7)
  for (long i = 0; i < n; ++i) {
    long hash = to[i * step];
    for (long j = 0; j < m; ++j) {
      hash = 31 * hash + (from[j * step] ^ i);
    }
    to[i * step] = hash;
  }
}

// A reduction of what each iteration finds; the inner loop is under a condition.
static long below(int n, int m, const float *values, const long *limits) {
  long count = 0;
#pragma omp parallel for reduction(+ : count)
  for (int i = 0; i < n; ++i) {
    int own = 0;
    if (m > 3) {
      for (int j = m - 1; j >= 0; --j) {
        own += values[j] < (float)(limits[i] % 1000);
      }
    }
    count += own;
  }
  return count;
}

// Every third element, backwards; and a condition in the loop.
static void nearest(int n, int m, const double *values, int *found) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double best = 1e9;
    int at = -1;
    for (int j = 0; j < m; ++j) {
      const double distance = fabs(values[3 * (m - 1 - j)] - i);
      if (distance < best) {
        best = distance;
        at = j;
      }
    }
    found[i] = at;
  }
}

int main(void) {
  static const int kCounts[] = {0, 1, 2, 31, 63, 64, 65, 255, 256, 257, 511, 769, 1500};
  long *numbers = malloc(kMost * sizeof *numbers);
  long *hashes = calloc(2 * kMost, sizeof *hashes);
  double *places = malloc(3 * kMost * sizeof *places);
  int *found = calloc(kMost, sizeof *found);
  if (!numbers || !hashes || !places || !found) {
    return 1;
  }
  for (int i = 0; i < kMost; ++i) {
    sources[i] = (Source){i % 37, i % 11 - 5};
    table[i] = (float)(i * 7 % 1000);
    numbers[i] = i * 2654435761L % 100003;
    hashes[i] = i;
  }
  for (int i = 0; i < 3 * kMost; ++i) {
    places[i] = i * 13 % 1501 + 0.25;
  }
  const int steps = sizeof kCounts / sizeof kCounts[0];
  for (int k = 0; k < steps; ++k) {
    const int n = kCounts[k];
    const int m = kCounts[(5 * k + 3) % steps];
    attract(n, m, sources, results);
    spread(n, m, 1, numbers, hashes);
    spread(n, m, 1, hashes, hashes + kMost);
    spread(n, m, 2, hashes, hashes + 1); // Between what is read.
    nearest(n, m, places, found);
    const long count = below(n, m, table, numbers);
    double sum = 0;
    long hash = count;
    for (int i = 0; i < kMost; ++i) {
      sum += results[i].sum * (i % 5) + (double)results[i].last;
      hash = 131 * hash + (hashes[i] ^ hashes[kMost + i] ^ found[i]);
    }
    printf("%d x %d: %ld below, sum %.1f, hash %ld\n", n, m, count, sum, hash);
  }
  free(numbers);
  free(hashes);
  free(places);
  free(found);
  return 0;
}
