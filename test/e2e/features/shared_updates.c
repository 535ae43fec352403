// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Shared variables that threads update one after the other, atomically or in critical sections: in
/// each iteration, and once behind the loop with what each thread has collected.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static long total; // A variable of the program.

static void sums(const double *x, long n) {
  double sum = 1.5;
  unsigned bits = 0, common = ~0U, odd = 3;
  int most = -1000, left = 5000;
  total = 7;
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    const int part = (int)x[i] % 97 + 1;
#pragma omp atomic
    sum += x[i];
#pragma omp atomic
    total += part;
#pragma omp atomic
    left -= part & 1;
#pragma omp atomic
    bits |= 1U << (part % 13);
#pragma omp atomic
    common &= ~(unsigned)(part & 6);
#pragma omp atomic
    odd ^= (unsigned)part;
#pragma omp critical
    if (part > most) {
      most = part;
    }
  }
  printf("%.3f %ld %d %x %x %x %d\n", sum, total, left, bits, common, odd, most);
}

struct Best {
  double distance;
  long where;
  int rounds;
};

/// The nearest of all, and where it is.
static void nearest(const double *x, long n, double to) {
  double distance = 1e300;
  long where = -1;
  int exact = 0;
#pragma omp parallel for schedule(dynamic, 50)
  for (long i = 0; i < n; ++i) {
    const double own = fabs(x[i] - to);
    if (own == 0) {
#pragma omp atomic
      exact++;
    }
#pragma omp critical
    {
      if (distance > own) {
        distance = own;
        where = i;
      }
    }
  }
  printf("%.3f %ld %d\n", distance, where, exact);
}

/// What each thread has found is combined once.
static void collected(const double *x, long n) {
  double sum = 0, squares = 0, least = 1e300;
  long at = -1;
#pragma omp parallel
  {
    double ownSum = 0, ownSquares = 0, ownLeast = 1e300;
    long ownAt = -1;
#pragma omp for nowait
    for (long i = 0; i < n; ++i) {
      ownSum += x[i];
      ownSquares += x[i] * x[i];
      if (x[i] < ownLeast) {
        ownLeast = x[i];
        ownAt = i;
      }
    }
#pragma omp critical(sums)
    {
      sum += ownSum;
      squares = squares + ownSquares;
    }
#pragma omp critical(extremes)
    if (ownLeast < least) {
      least = ownLeast;
      at = ownAt;
    }
  }
  printf("%.3f %.3f %.3f %ld\n", sum, squares, least, at);
}

/// The same of teams.
static void teams(const double *x, long n) {
  double sum = 0;
#pragma omp target teams distribute parallel for map(tofrom : sum)
  for (long i = 0; i < n; ++i) {
#pragma omp atomic update
    sum = sum + x[i];
  }
  printf("%.3f\n", sum);
}

int main(void) {
  const long n = 3000;
  double *x = malloc(sizeof *x * n);
  for (long i = 0; i < n; ++i) {
    x[i] = (double)((i * 7919) % 10007) + 0.25;
  }
  sums(x, n);
  sums(x, 0);
  nearest(x, n, 5003.25);
  nearest(x, n, -4.0);
  collected(x, n);
  collected(x, 1);
  teams(x, n);
  free(x);
}
