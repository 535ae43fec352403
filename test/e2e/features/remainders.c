// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quotients and remainders as indices: of negative numbers, by negative numbers, of counters that
// wrap.
#include <stdio.h>

enum { N = 4000 };

static int a[N], b[N], c[N];

static unsigned long sum(const int *from) {
  unsigned long sum = 0;
  for (int i = 0; i < N; ++i) {
    sum = sum * 31 + (unsigned long)from[i];
  }
  return sum;
}

static void number(void) {
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    a[i] = i * 7;
    b[i] = 0;
    c[i] = 0;
  }
}

/* Rows of negative numerators end elsewhere than those of positive ones. */
__attribute__((noinline)) static void divide(int n, int first, int by) {
  number();
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    b[i] = a[(i - first) % by + 1000] + 3 * a[(i - first) / by + 1000];
  }
#pragma omp parallel for
  for (int i = 0; i < 50; ++i) {
    c[(i - 25) % 50 + 100] = i;
  }
  printf("%lx %lx\n", sum(b), sum(c));
}

/* In the middle of the chunk the numerator becomes 0. */
__attribute__((noinline)) static void wrap(unsigned n, unsigned off) {
  number();
#pragma omp parallel for
  for (unsigned i = 0; i < n; ++i) {
    b[(i - off) % 3000] = (int)i;
  }
  printf("%lx\n", sum(b));
}

__attribute__((noinline)) static void rotate(long n, long by) {
  number();
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    b[(i + by) % n] = a[(unsigned long)(i - by) % N];
  }
  printf("%lx\n", sum(b));
}

int main(void) {
  divide(3000, 0, 100);
  divide(3000, 5, 900);
  divide(3000, 2000, 900);
  divide(3000, 1500, -700);
  divide(3000, -5, -900);
  divide(1400, 500, -1);
  divide(900, 12, 2147483647);
  divide(900, 12, -2147483647 - 1);
  wrap(17, 5);
  wrap(2000, 900);
  wrap(100, 0xFFFFFF00u);
  rotate(N, 77);
  rotate(1001, 900);
  return 0;
}
