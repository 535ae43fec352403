// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reductions by so many groups of work-items that devices combine their results before the host
/// does: of numbers, structs and arrays, and one whose combiner needs a variable of the program.
// LIBS: -latomic
#include <complex.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>

enum { BINS = 24 };

typedef struct {
  double value;
  long index;
} Minimum;

static Minimum smaller(Minimum a, Minimum b) {
  if (a.value != b.value) {
    return a.value < b.value ? a : b;
  }
  return a.index < b.index ? a : b;
}

int modulus = 1009;

static int reduced(int value) { return value % modulus; }

#pragma omp declare reduction(minimum:Minimum : omp_out = smaller(omp_out, omp_in))                \
    initializer(omp_priv = (Minimum){DBL_MAX, 1L << 60})
#pragma omp declare reduction(modular:int : omp_out = reduced(omp_out + omp_in))                   \
    initializer(omp_priv = 0)

static void numbers(long n, const double *a) {
  double sum = 0.5, high = -1e9;
  short all = ~0;
  unsigned char odd = 1;
  double complex turned = 1.0;
#pragma tutti grid(301) block(4)
#pragma omp parallel for reduction(+ : sum, turned) reduction(max : high) reduction(& : all)       \
    reduction(^ : odd)
  for (long i = 0; i < n; ++i) {
    sum += a[i];
    turned += a[i] * I;
    high = a[i] > high ? a[i] : high;
    all &= (short)(i | 0x41);
    odd ^= (unsigned char)(i * 3);
  }
  printf("%ld: sum %.1f high %.1f all %d odd %d turned %.1f\n", n, sum, high, all, odd,
         cimag(turned));
}

static void structs(long n, const double *a) {
  Minimum least = {1e9, -1};
  int rest = 17;
#pragma tutti grid(1100) block(4)
#pragma omp parallel for reduction(minimum : least)
  for (long i = 0; i < n; ++i) {
    least = smaller(least, (Minimum){a[i], i});
  }
#pragma tutti grid(1100) block(4)
#pragma omp parallel for reduction(modular : rest)
  for (long i = 0; i < n; ++i) {
    rest = reduced(rest + (int)(i % 100));
  }
  printf("least %.1f at %ld, rest %d\n", least.value, least.index, rest);
}

static void arrays(long n) {
  long bins[BINS] = {3};
  float low[3] = {1e9F, 1e9F, 1e9F};
#pragma tutti grid(150) block(8)
#pragma omp parallel for reduction(+ : bins) reduction(min : low)
  for (long i = 0; i < n; ++i) {
    bins[i * 7 % BINS] += i;
    const float value = (float)(i * 31 % 1001);
    low[i % 3] = value < low[i % 3] ? value : low[i % 3];
  }
  for (int k = 0; k < BINS; ++k) {
    printf("%ld ", bins[k]);
  }
  printf("low %.1f %.1f %.1f\n", low[0], low[1], low[2]);
}

int main(void) {
  const long n = 5003;
  double *a = malloc((size_t)n * sizeof *a);
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    a[i] = (double)(i * 7919 % 1499) - 300.0;
  }
  const long sizes[] = {0, 1, 67, 1204, n};
  for (int k = 0; k < 5; ++k) {
    numbers(sizes[k], a);
    structs(sizes[k], a);
    arrays(sizes[k]);
  }
  free(a);
  return 0;
}
