// A wavefront over blocks of a matrix: each loop is one anti-diagonal of blocks, which lie on other
// pages in each of their rows. So every launch closes many pages that lie apart from one another.
#include <stdio.h>
#include <stdlib.h>

enum { kBlock = 16 };

static void block(int *a, const int *r, int n, int by, int bx) {
  for (int i = by * kBlock + 1; i <= by * kBlock + kBlock; ++i) {
    for (int j = bx * kBlock + 1; j <= bx * kBlock + kBlock; ++j) {
      int d = a[(i - 1) * n + j - 1] + r[i * n + j], u = a[(i - 1) * n + j] - 3,
          l = a[i * n + j - 1] - 3;
      int m = d > u ? d : u;
      a[i * n + j] = m > l ? m : l;
    }
  }
}

int main(int argc, char **argv) {
  const int nb = argc > 1 ? atoi(argv[1]) : 24, n = nb * kBlock + 1;
  int *a = calloc((long)n * n, sizeof *a), *r = malloc(sizeof *r * n * n);
  for (long i = 0; i < (long)n * n; ++i) {
    r[i] = (int)((i * 7919) % 21) - 10;
  }
  for (int i = 1; i < n; ++i) {
    a[i * n] = a[i] = -3 * i;
  }
  for (int k = 1; k <= nb; ++k) {
#pragma omp parallel for schedule(static)
    for (int x = 0; x < k; ++x) {
      block(a, r, n, k - 1 - x, x);
    }
  }
  for (int k = 2; k <= nb; ++k) {
#pragma omp parallel for schedule(static)
    for (int x = k - 1; x < nb; ++x) {
      block(a, r, n, nb + k - 2 - x, x);
    }
  }
  printf("%d\n", a[(long)n * n - 1]);
}
