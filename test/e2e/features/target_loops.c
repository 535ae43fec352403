// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Forms of target and teams constructs around one loop, with what their clauses leave behind.
#include <stdio.h>
#include <stdlib.h>

static void saxpy(int n, float a, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i) {
    y[i] += a * x[i];
  }
}

static double dot(long n, const double *x, const double *y) {
  double sum = 0.0;
#pragma omp target teams distribute parallel for reduction(+ : sum) num_teams(3) thread_limit(2)
  for (long i = 0; i < n; ++i) {
    sum += x[i] * y[i];
  }
  return sum;
}

static void table(int n, int m, double *x) {
#pragma omp teams distribute parallel for collapse(2) dist_schedule(static, 5) num_teams(2)
  for (int i = 1; i < n; ++i) {
    for (int j = 1; j < m; ++j) {
      x[i * m + j] += 0.5 * i + j;
    }
  }
}

static int privates(int n, double *x) {
  int last = -1;
  double offset = 3.0;
#pragma omp target teams distribute parallel for lastprivate(last) firstprivate(offset)            \
    map(from : last) dist_schedule(static, 7) num_teams(3)
  for (int i = 1; i < n; ++i) {
    x[i] -= offset;
    last = i;
  }
  return last;
}

static void plain(int n, double *x) {
#pragma omp target parallel for
  for (int i = 0; i < n; ++i) {
    x[i] += 1.0;
  }
#pragma omp target teams loop
  for (int i = 0; i < n; ++i) {
    x[i] *= 1.25;
  }
#pragma omp target teams distribute dist_schedule(static, 3)
  for (int i = 0; i < n; ++i) {
    x[i] += i;
  }
#pragma omp target teams distribute parallel for if (n > 10) num_threads(2)
  for (int i = 0; i < n; ++i) {
    x[i] -= 0.5 * i;
  }
#pragma omp target teams distribute parallel for simd nowait depend(inout : x[0])
  for (int i = 0; i < n; ++i) {
    x[i] += 2.0;
  }
#pragma omp taskwait
}

static double reductions(int n, const double *x, double *bins) {
  double highest = -1.0;
  int count = 0;
#pragma omp target teams distribute parallel for reduction(max : highest)                          \
    reduction(+ : count, bins[0 : 8])
  for (int i = 0; i < n; ++i) {
    highest = x[i] > highest ? x[i] : highest;
    count += i;
    bins[i % 8] += x[i];
  }
#pragma omp target teams distribute simd reduction(+ : count)
  for (int i = 0; i < n; ++i) {
    count += i % 3;
  }
  return highest + count;
}

/// Teams around threads: one row per team.
static void rows(int n, int m, const double *a, const double *x, double *y) {
#pragma omp target teams distribute
  for (int i = 0; i < n; ++i) {
    double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
    for (int j = 0; j < m; ++j) {
      sum += a[i * m + j] * x[j];
    }
    y[i] = sum;
  }
}

/// A table of each team, read by its threads.
static void tables(int n, double *x) {
#pragma omp target teams
  {
    double weights[4];
    for (int k = 0; k < 4; ++k) {
      weights[k] = 0.25 * k;
    }
#pragma omp distribute parallel for
    for (int i = 0; i < n; ++i) {
      x[i] += weights[i % 4];
    }
  }
}

/// What each team collects in variables of its own cannot be left to single threads.
static void collected(int n, double *y) {
#pragma omp target teams num_teams(2)
  {
    double counts[4] = {0.0, 0.0, 0.0, 0.0};
#pragma omp distribute parallel for
    for (int i = 0; i < n; ++i) {
#pragma omp atomic
      counts[i % 4] += 1.0;
    }
    for (int k = 0; k < 4; ++k) {
#pragma omp atomic
      y[k] += counts[k];
    }
  }
}

static double total(long n, const double *x) {
  double sum = 0.0;
  for (long i = 0; i < n; ++i) {
    sum += x[i] * (double)(1 + i % 7);
  }
  return sum;
}

int main(void) {
  const int n = 211;
  const int m = 37;
  double *x = calloc((size_t)n * m, sizeof *x);
  double *y = calloc((size_t)n * m, sizeof *y);
  float *f = calloc((size_t)n, sizeof *f);
  float *g = calloc((size_t)n, sizeof *g);
  double bins[8] = {0};
  for (int i = 0; i < n * m; ++i) {
    y[i] = i % 13;
  }
  for (int i = 0; i < n; ++i) {
    f[i] = (float)i;
    g[i] = (float)(i % 3);
  }
  saxpy(n, 2.5f, f, g);
  for (int i = 0; i < n; ++i) {
    x[i] = g[i];
  }
  printf("saxpy %.6f\n", total(n, x));
  printf("dot %.6f\n", dot((long)n * m, y, y));
  table(n, m, x);
  printf("table %.6f\n", total((long)n * m, x));
  printf("last %d\n", privates(n, x));
  printf("privates %.6f\n", total((long)n * m, x));
  plain(n, x);
  plain(5, x);
  printf("plain %.6f\n", total((long)n * m, x));
  printf("reductions %.6f\n", reductions(n, y, bins));
  printf("bins %.6f\n", total(8, bins));
  rows(n, m, x, y, y + n);
  printf("rows %.6f\n", total((long)n * m, y));
  tables(n, y);
  collected(n, y);
  printf("tables %.6f\n", total((long)n * m, y));
  free(x);
  free(y);
  free(f);
  free(g);
  return 0;
}
