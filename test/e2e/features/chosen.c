// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops that read one of several places: values of conditional expressions, of which the optimiser
/// makes addresses that are chosen.
#include <stdio.h>
#include <stdlib.h>

enum { kRows = 120 };

static void shifted(long *a, const long *b, long n, long left) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    a[i] = i == 0 ? left : b[i - 1];
  }
}

static void joined(long *a, const long *b, const long *c, long n, long m) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    a[i] = i < m ? b[i] : c[i];
  }
}

static void limited(long *a, const long *b, const long *c, long n, long most) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    long x;
    if (c[i] > 5) {
      x = b[i];
    } else {
      x = most;
    }
    a[i] = 2 * x;
  }
}

static void symmetric(long *a, const long *b, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    long sum = 0;
    for (long j = 0; j < n; ++j) {
      sum += j <= i ? b[i * n + j] : b[j * n + i];
    }
    a[i] = sum;
  }
}

static void private_or_shared(long *a, const long *c, long n, long m) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    long mine[8];
    for (long j = 0; j < 8; ++j) {
      mine[j] = i * j;
    }
    const long *from = &mine[i & 7];
    if (m) {
      from = &c[i / m];
    }
    a[i] = *from;
  }
}

static void one_of_two(long *a, const long *b, const long *c, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    const long *p = i % 2 ? b : c;
    a[i] = p[i] + p[(i + 1) % n];
  }
}

static void show(const char *name, const long *a, long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) {
    sum = sum * 31 % 1000003 + a[i];
  }
  printf("%s %ld %ld %ld\n", name, a[0], a[n - 1], sum);
}

int main(void) {
  const long n = kRows;
  long *a = malloc(n * sizeof *a);
  long *b = malloc(n * n * sizeof *b);
  long *c = malloc(n * sizeof *c);
  for (long i = 0; i < n * n; ++i) {
    b[i] = i % 13;
  }
  for (long i = 0; i < n; ++i) {
    c[i] = i % 11;
  }
  for (int round = 0; round < 3; ++round) {
    shifted(a, b, n, 1000 + round);
    show("shifted", a, n);
    joined(a, b, c, n, 40 + round);
    show("joined", a, n);
    limited(a, b, c, n, 2000 + round);
    show("limited", a, n);
    symmetric(a, b, n);
    show("symmetric", a, n);
    private_or_shared(a, c, n, round);
    show("private or shared", a, n);
    one_of_two(a, b, c, n);
    show("one of two", a, n);
    b[round * 7] += 5;
    c[round] += 6;
  }
  free(a);
  free(b);
  free(c);
  return 0;
}
