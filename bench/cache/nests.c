// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nests of loops that a thread may walk through in blocks for its cache: milliseconds of each, the
// least of some turns. Run with and without TUTTI_WITHOUT=cache-blocks.
//
//   nests [TURNS [NAME]]
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef REAL
#define REAL double
#endif

static void five(REAL *b, const REAL *a, long n, long m) {
#pragma omp parallel for
  for (long i = 1; i < n - 1; ++i)
    for (long j = 1; j < m - 1; ++j)
      b[i * m + j] = (REAL)0.25 * (a[i * m + j - 1] + a[i * m + j + 1] + a[(i - 1) * m + j] + a[(i + 1) * m + j]);
}

static void nine(REAL *b, const REAL *a, long n, long m) {
#pragma omp parallel for
  for (long i = 1; i < n - 1; ++i)
    for (long j = 1; j < m - 1; ++j) {
      const REAL *at = a + i * m + j;
      b[i * m + j] = (REAL)0.1 * (at[-m - 1] + at[-m] + at[-m + 1] + at[-1] + at[0] + at[1] + at[m - 1] + at[m] + at[m + 1]);
    }
}

static void seven(REAL *b, const REAL *a, long n, long m) {
#pragma omp parallel for
  for (long i = 1; i < n - 1; ++i)
    for (long j = 1; j < m - 1; ++j)
      for (long k = 1; k < m - 1; ++k) {
        const REAL *at = a + (i * m + j) * m + k;
        b[(i * m + j) * m + k] = (REAL)0.1 * (at[0] + at[-1] + at[1] + at[-m] + at[m] + at[-m * m] + at[m * m]);
      }
}

static void points27(REAL *b, const REAL *a, long n, long m) {
#pragma omp parallel for
  for (long i = 1; i < n - 1; ++i)
    for (long j = 1; j < m - 1; ++j)
      for (long k = 1; k < m - 1; ++k) {
        REAL sum = 0;
        for (long x = -1; x <= 1; ++x)
          for (long y = -1; y <= 1; ++y)
            for (long z = -1; z <= 1; ++z) sum += a[((i + x) * m + j + y) * m + k + z];
        b[(i * m + j) * m + k] = sum;
      }
}

static void transpose(REAL *b, const REAL *a, long n, long m) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j) b[i * m + j] = a[j * n + i];
}

static void scatter(REAL *b, const REAL *a, long n, long m) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j) b[j * n + i] = a[i * m + j];
}

static void ijk(REAL *c, const REAL *a, long n, long m) {
  const REAL *b = a + n * m;
#pragma omp parallel for
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j) {
      REAL sum = 0;
      for (long k = 0; k < m; ++k) sum += a[i * m + k] * b[k * m + j];
      c[i * m + j] = sum;
    }
}

static void ikj(REAL *c, const REAL *a, long n, long m) {
  const REAL *b = a + n * m;
#pragma omp parallel for
  for (long i = 0; i < n; ++i)
    for (long k = 0; k < m; ++k)
      for (long j = 0; j < m; ++j) c[i * m + j] += a[i * m + k] * b[k * m + j];
}

static void outer(REAL *c, const REAL *a, long n, long m) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j) c[i * m + j] += a[i] * a[n + j];
}

static void scaled(REAL *c, const REAL *a, long n, long m) {
  const REAL *b = a + n * m;
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < m; ++j) c[i * m + j] *= (REAL)0.5;
    for (long k = 0; k < m; ++k)
      for (long j = 0; j < m; ++j) c[i * m + j] += a[i * m + k] * b[k * m + j];
  }
}

static REAL square[1200][1200], matrix[1200][1000];

static void triangular(REAL *c, const REAL *a, long n, long m) {
#pragma omp parallel for
  for (long i = n - n / 20; i < n; ++i) {
    for (long j = 0; j <= i; ++j) square[i][j] *= (REAL)0.5;
    for (long k = 0; k < m; ++k)
      for (long j = 0; j <= i; ++j) square[i][j] += matrix[i][k] * matrix[j][k];
  }
}

struct Nest {
  const char *name;
  void (*run)(REAL *, const REAL *, long, long);
  long n, m;
};

int main(int count, char **arguments) {
  const struct Nest nests[] = {
      {"five", five, 1200, 10000},   {"five", five, 300, 40000},    {"five", five, 160, 80000},
      {"five", five, 120, 100000},   {"five", five, 30, 400000},    {"five", five, 12, 1000000},
      {"nine", nine, 300, 40000},    {"nine", nine, 120, 100000},   {"nine", nine, 30, 400000},
      {"seven", seven, 400, 128},    {"seven", seven, 160, 256},    {"seven", seven, 90, 384},
      {"seven", seven, 50, 512},     {"points27", points27, 100, 128}, {"points27", points27, 50, 256},
      {"points27", points27, 16, 512}, {"transpose", transpose, 500, 500}, {"transpose", transpose, 1000, 1000},
      {"transpose", transpose, 1024, 1024}, {"transpose", transpose, 2000, 2000}, {"transpose", transpose, 4096, 4096},
      {"scatter", scatter, 500, 500}, {"scatter", scatter, 1000, 1000}, {"scatter", scatter, 1024, 1024},
      {"scatter", scatter, 2000, 2000}, {"scatter", scatter, 4096, 4096}, {"ijk", ijk, 200, 300},
      {"ijk", ijk, 60, 1000},        {"ijk", ijk, 40, 1024},        {"ijk", ijk, 20, 2000},
      {"ikj", ikj, 200, 300},        {"ikj", ikj, 60, 1000},        {"ikj", ikj, 40, 1024},
      {"ikj", ikj, 20, 2000},        {"ikj", ikj, 20, 2048},        {"scaled", scaled, 200, 300},
      {"scaled", scaled, 60, 1000},  {"scaled", scaled, 60, 1200},  {"scaled", scaled, 20, 2000},
      {"triangular", triangular, 1000, 1000}, {"triangular", triangular, 1200, 1000}, {"outer", outer, 100, 100000}};
  const int turns = count > 1 ? atoi(arguments[1]) : 5;
  const long size = 17L << 20;
  REAL *a = malloc(size * sizeof(REAL)), *b = malloc(size * sizeof(REAL));
#pragma omp parallel for
  for (long i = 0; i < size; ++i) a[i] = (REAL)(i % 7), b[i] = 0;
  for (size_t each = 0; each < sizeof(nests) / sizeof(*nests); ++each) {
    const struct Nest *nest = &nests[each];
    if (count > 2 && strcmp(arguments[2], nest->name)) continue;
    double least = 1e9;
    for (int turn = 0; turn < turns; ++turn) {
      const double begin = omp_get_wtime();
      nest->run(b, a, nest->n, nest->m);
      const double seconds = omp_get_wtime() - begin;
      least = seconds < least ? seconds : least;
    }
    printf("%s %ld x %ld %.3f\n", nest->name, nest->n, nest->m, least * 1e3);
  }
  return b[size / 3] < -1e30;
}
