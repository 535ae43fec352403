// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Jumps to computed places: in a loop, in a function that it calls, in one of several loops of a
/// construct, and below teams.
#include <stdio.h>
#include <stdlib.h>

static int run(const unsigned char *code, int value) {
  static const void *const ways[] = {&&end, &&increment, &&twice};
  goto *ways[*code];
increment:
  ++value;
  goto *ways[*++code];
twice:
  value *= 2;
  goto *ways[*++code];
end:
  return value;
}

static void step(int n, int *x, int odd, int even) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const void *const ways[] = {&&zero, &&one};
    goto *ways[x[i] & 1];
  zero:
    x[i] += even;
    continue;
  one:
    x[i] -= odd;
  }
}

static void several(int n, int *x) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) {
      x[i] += 3;
    }
#pragma omp for
    for (int i = 0; i < n; ++i) {
      const void *const ways[] = {&&zero, &&one};
      goto *ways[x[i] & 1];
    zero:
      x[i] += 3;
      continue;
    one:
      x[i] -= 5;
    }
  }
}

static void teams(int n, int *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; ++i) {
    const void *const ways[] = {&&zero, &&one};
    goto *ways[x[i] & 1];
  zero:
    x[i] += 4;
    continue;
  one:
    x[i] -= 1;
  }
}

static long digest(int n, const int *x) {
  long sum = 0;
  for (int i = 0; i < n; ++i) {
    sum = (sum * 31 + x[i]) % 1000003;
  }
  return sum;
}

int main(void) {
  const int n = 10000;
  int *x = malloc(n * sizeof *x);
  for (int i = 0; i < n; ++i) {
    x[i] = i * 7 % 1000;
  }
  step(n, x, 5, 3);
  printf("%ld\n", digest(n, x));
  const unsigned char code[] = {1, 2, 1, 1, 0};
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    x[i] = run(code, x[i]) % 1000;
  }
  printf("%ld\n", digest(n, x));
  several(n, x);
  printf("%ld\n", digest(n, x));
  teams(n, x);
  printf("%ld\n", digest(n, x));
  return 0;
}
