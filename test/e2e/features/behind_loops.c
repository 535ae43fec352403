// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Inner loops find a place in the row that is then written: that one, none of those passed.
#include <stdio.h>
#include <stdlib.h>

enum { kRows = 64, kPitch = 100 };

static void place(long n, long m, long *restrict c, const long *restrict d) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    long j = 0;
    long sum = 0;
    do {
      sum += d[j];
      j += 3;
    } while (j < m);
    c[i * kPitch + j] = sum;
  }
}

static void placeAndRead(long n, long m, long *restrict c, const long *restrict d,
                         long *restrict e) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    long j = 0;
    long sum = 0;
    do {
      sum += d[j];
      j += 3;
    } while (j < m);
    c[i * kPitch + j] = sum;
    long passed = 0;
    for (long k = 3; k < j; k += 3) {
      passed += c[i * kPitch + k] * k;
    }
    e[i] = passed;
  }
}

static void fill(long *values, long count) {
  for (long i = 0; i < count; ++i) {
    values[i] = i;
  }
}

static void print(const char *name, const long *values, long count) {
  long sum = 0;
  for (long i = 0; i < count; ++i) {
    sum += values[i] * (i % 17);
  }
  printf("%s %ld\n", name, sum);
}

int main(void) {
  long *c = malloc(sizeof *c * kRows * kPitch);
  long *d = malloc(sizeof *d * kPitch);
  long *e = malloc(sizeof *e * kRows);
  fill(d, kPitch);
  for (long m = 1; m < 90; m += 28) {
    fill(c, (long)kRows * kPitch);
    place(kRows, m, c, d);
    print("place", c, (long)kRows * kPitch);
    fill(c, (long)kRows * kPitch);
    placeAndRead(kRows, m, c, d, e);
    print("read", c, (long)kRows * kPitch);
    print("passed", e, kRows);
  }
  free(c);
  free(d);
  free(e);
  return 0;
}
