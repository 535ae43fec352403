// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reductions whose combiners read variables that the program has computed, on all ranks.
#include <stdio.h>

enum { LENGTH = 20000 };

static int isUpwards;
static long modulus;
static long height[LENGTH];

static long extreme(long a, long b) {
  if (isUpwards) {
    return a > b ? a : b;
  }
  return a < b ? a : b;
}

static void add(long *out, const long *in) { *out = (*out + *in) % modulus; }

static int higher(int a, int b) { return height[a] > height[b] ? a : b; }

#pragma omp declare reduction(extreme:long : omp_out = extreme(omp_out, omp_in))                   \
    initializer(omp_priv = 0)
#pragma omp declare reduction(modular:long : add(&omp_out, &omp_in)) initializer(omp_priv = 0)
#pragma omp declare reduction(higher:int : omp_out = higher(omp_out, omp_in))                      \
    initializer(omp_priv = 0)

int main(int argc, char **argv) {
  (void)argv;
  isUpwards = argc;
  modulus = 500 + argc;
  long most = 7;
#pragma omp parallel for reduction(extreme : most)
  for (int i = 0; i < LENGTH; ++i) {
    most = i * 5L > most ? i * 5L : most;
  }
  long sum = 0;
#pragma omp parallel for reduction(modular : sum)
  for (int i = 0; i < LENGTH; ++i) {
    sum = (sum + i * 7L) % 501;
  }
  long before = sum;
  modulus = 1000;
#pragma omp parallel for reduction(modular : sum)
  for (int i = 0; i < LENGTH; ++i) {
    sum = (sum + i * 7L) % 1000;
  }
#pragma omp parallel for
  for (int i = 0; i < LENGTH; ++i) {
    height[i] = i * 7919L % 20011;
  }
  int best = 0;
#pragma omp parallel for reduction(higher : best)
  for (int i = 0; i < LENGTH; ++i) {
    best = i * 7919L % 20011 > 20009 ? i : best;
  }
  printf("%ld %ld %ld %d\n", most, before, sum, best);
}
