// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Norms of solvers: the threads of a worksharing loop add up, or choose, in private variables and
/// arrays, and tell a shared one in a critical section or atomically.
#include <math.h>
#include <stdio.h>

enum { N = 3000, PARTS = 5, BINS = 37, STEPS = 4 };

static double now[N], before[N], sums[PARTS], most, least;
static long bins[BINS], count;

static void square_sums(const double *x, double *sum) {
  double first = 0, second = 0;
#pragma omp single
  sum[0] = sum[1] = 0;
#pragma omp for nowait
  for (int i = 0; i < N; ++i) {
    first = first + x[i] * x[i];
    second -= x[i];
  }
#pragma omp critical
  {
    sum[0] += first;
    sum[1] += second;
  }
#pragma omp barrier
#pragma omp single
  sum[0] = sqrt(sum[0]);
}

static void sums_of_parts(const double *x, double *sum) {
  double own[PARTS];
  for (int m = 0; m < PARTS; ++m) {
    own[m] = 0;
  }
#pragma omp single
  for (int m = 0; m < PARTS; ++m) {
    sum[m] = 0;
  }
#pragma omp for nowait
  for (int i = 0; i < N; ++i) {
    for (int m = 0; m < PARTS; ++m) {
      const double add = x[i] - m;
      own[m] = own[m] + add * add;
    }
  }
  for (int m = 0; m < PARTS; ++m) {
#pragma omp atomic
    sum[m] += own[m];
  }
#pragma omp barrier
}

static void extremes(const double *x) {
  double high = 0, low[3] = {1e9, 1e9, 1e9};
#pragma omp for schedule(dynamic, 64)
  for (int i = 0; i < N; ++i) {
    const double value = fabs(x[i]);
    if (value > high) {
      high = value;
    }
    if (value < low[i % 3]) {
      low[i % 3] = value;
    }
  }
#pragma omp critical
  {
    most = most > high ? most : high;
    for (int m = 0; m < 3; ++m) {
      if (low[m] < least) {
        least = low[m];
      }
    }
  }
#pragma omp barrier
}

/// What comes from several executions of two loops is told once.
static void histogram(void) {
#pragma omp parallel
  {
    long own[BINS] = {0}, mine = 0;
    for (int t = 0; t < STEPS; ++t) {
#pragma omp for
      for (int i = 0; i < N; ++i) {
        own[(i * 7 + t) % BINS]++;
        mine += i % 3;
      }
#pragma omp for
      for (int i = 0; i < N; ++i) {
        own[i % 5] += t;
        mine += 2;
      }
    }
#pragma omp critical
    {
      for (int k = 0; k < BINS; ++k) {
        bins[k] += own[k];
      }
      count += mine;
    }
  }
}

int main(void) {
  double sum[2];
  for (int i = 0; i < N; ++i) {
    before[i] = i % 17 - 5;
  }
  least = 1e9;
#pragma omp parallel
  for (int t = 0; t < STEPS; ++t) {
#pragma omp for
    for (int i = 0; i < N; ++i) {
      now[i] = 2 * before[i] + t;
    }
    square_sums(now, sum);
    sums_of_parts(now, sums);
    extremes(now);
#pragma omp single
    printf("%.6f %.1f %.1f %.1f %.1f %.1f\n", sum[0], sum[1], sums[0], sums[4], most, least);
#pragma omp for
    for (int i = 0; i < N; ++i) {
      before[i] = now[i] > 30 ? 1 : now[i];
    }
  }
  histogram();
  long weighted = 0, expected = 0, all = 0;
  for (int k = 0; k < BINS; ++k) {
    weighted += (k + 1) * bins[k];
  }
  for (int t = 0; t < STEPS; ++t) {
    for (int i = 0; i < N; ++i) {
      expected += (i * 7 + t) % BINS + 1 + (i % 5 + 1) * t;
      all += i % 3 + 2;
    }
  }
  printf("%ld %ld %s\n", weighted, count,
         weighted == expected && count == all ? "as expected" : "WRONG");
  return 0;
}
