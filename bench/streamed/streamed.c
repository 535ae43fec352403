// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops over more than a device holds (say how much that is with TUTTI_DEVICE_MEMORY): all of it
/// goes in, and what is written comes out, at each pass.
///
///   update   a = a * 0.5 + 1: in and out as much
///   triad    a = b + 3 c: two in, one out
///   sum      a reduction: in alone
///   fill     out alone
///   stencil  b = (left + right of a) / 2, and back: borders of parts are read twice
///
/// usage: streamed CASE [GiB of all arrays [passes]]
/// Prints: CASE GiB passes seconds check, where the seconds are of all passes but the first two
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double *a, *b, *c;

static double sum(long n) {
  double all = 0;
#pragma omp parallel for reduction(+ : all)
  for (long i = 0; i < n; ++i) {
    all += a[i];
  }
  return all;
}

static void update(long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    a[i] = a[i] * 0.5 + 1.0;
  }
}

static void triad(long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    a[i] = b[i] + 3.0 * c[i];
  }
}

static void fill(double *x, long n, double value) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    x[i] = value;
  }
}

static void average(double *to, const double *from, long n) {
#pragma omp parallel for
  for (long i = 1; i < n - 1; ++i) {
    to[i] = (from[i - 1] + from[i + 1]) * 0.5;
  }
}

static double *make(long n) {
  double *x = malloc(n * sizeof *x);
  if (!x) {
    fprintf(stderr, "no memory for %ld numbers\n", n);
    exit(1);
  }
  for (long i = 0; i < n; ++i) {
    x[i] = (double)(i % 5);
  }
  return x;
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "";
  const double gib = argc > 2 ? atof(argv[2]) : 1;
  const int passes = argc > 3 ? atoi(argv[3]) : 6;
  const int isTriad = strcmp(name, "triad") == 0;
  const int isStencil = strcmp(name, "stencil") == 0;
  const int isUpdate = strcmp(name, "update") == 0;
  const int isSum = strcmp(name, "sum") == 0;
  const int isFill = strcmp(name, "fill") == 0;
  if (!isTriad && !isStencil && !isUpdate && !isSum && !isFill) {
    fprintf(stderr, "usage: %s update|triad|sum|fill|stencil [GiB [passes]]\n", argv[0]);
    return 2;
  }
  const long n = (long)(gib * (1 << 30) / sizeof *a / (isTriad ? 3 : isStencil ? 2 : 1));
  a = make(n);
  b = isTriad || isStencil ? make(n) : NULL;
  c = isTriad ? make(n) : NULL;
  double start = 0;
  double check = 0;
  for (int pass = 0; pass < passes; ++pass) {
    if (pass == 2) {
      start = omp_get_wtime();
    }
    if (isUpdate) {
      update(n);
    } else if (isTriad) {
      triad(n);
    } else if (isSum) {
      check += sum(n);
    } else if (isFill) {
      fill(a, n, pass);
    } else {
      average(pass % 2 == 0 ? b : a, pass % 2 == 0 ? a : b, n);
    }
  }
  if (!isSum) {
    check = a[n / 2] + a[n - 2]; // Waits for what is still under way.
  }
  const double seconds = omp_get_wtime() - start;
  check += a[n / 3];
  printf("%s %g %d %.4f %.6f\n", name, gib, passes, seconds, check);
  return 0;
}
