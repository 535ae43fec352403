// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Almost empty loops, launched again and again: what a launch costs beside its work.
///
///   same     the same captures each time
///   offset   new ones each time: a run of 64 numbers that moves by one
///   rows     new ones each time: 1000 rows of 8 columns that move by one column
///   shrink   new ones each time: a square whose corner moves down the diagonal
///
/// usage: captures CASE [launches [rows]]
/// Prints: CASE launches seconds check
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kColumns = 8, kRun = 64 };

static long columns;

static void fill(double *a, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    a[i] = (double)(i % 7);
  }
}

static void run(double *a, long offset) {
#pragma omp parallel for
  for (long i = 0; i < kRun; ++i) {
    a[offset + i] += 1.0;
  }
}

static void block(double *a, long rows, long column) {
#pragma omp parallel for
  for (long i = 0; i < rows; ++i) {
    for (long j = 0; j < kColumns; ++j) {
      a[i * columns + column + j] += 1.0;
    }
  }
}

/// Of each row of the square, one number: the work does not grow with it, but what it may touch
/// does.
static void corner(double *a, long n, long first) {
#pragma omp parallel for
  for (long i = first; i < n; ++i) {
    for (long j = first; j < first + 1; ++j) {
      a[i * columns + j] += a[first * columns + j] * 0.0 + 1.0;
    }
  }
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "";
  const long launches = argc > 2 ? atol(argv[2]) : 2000;
  const long rows = argc > 3 ? atol(argv[3]) : 1000;
  const int isSame = strcmp(name, "same") == 0;
  const int isOffset = strcmp(name, "offset") == 0;
  const int isRows = strcmp(name, "rows") == 0;
  if (launches < 1 || rows < 2 ||
      (!isSame && !isOffset && !isRows && strcmp(name, "shrink") != 0)) {
    fprintf(stderr, "usage: captures same|offset|rows|shrink [launches [rows]]\n");
    return 1;
  }
  columns = isSame || isOffset ? 1 : launches + kColumns;
  const long n = isSame || isOffset ? launches + kRun : rows * columns;
  double *a = malloc((size_t)n * sizeof *a);
  if (a == NULL) {
    fprintf(stderr, "captures: no memory for %ld numbers\n", n);
    return 1;
  }
  fill(a, n);
  double begin = 0.0;
  for (long launch = -3; launch < launches - 3; ++launch) { // Three to begin with.
    if (launch == 0) {
      begin = omp_get_wtime();
    }
    const long at = isSame ? 0 : launch + 3;
    if (isSame || isOffset) {
      run(a, at);
    } else if (isRows) {
      block(a, rows, at);
    } else {
      corner(a, rows, at % (rows - 1));
    }
  }
  const double seconds = omp_get_wtime() - begin;
  double check = 0.0;
  for (long i = 0; i < n; i += n / 1000 + 1) {
    check += a[i];
  }
  printf("%s %ld %.6f %.6e\n", name, launches - 3, seconds, check);
  free(a);
  return 0;
}
