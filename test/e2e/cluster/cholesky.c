/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Cholesky's factorisation by tiles that lie where the nodes put them. Arguments: tiles, cells of a
 * side. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cluster.h"

#pragma oss task inout([n * n] a)

void factor(int n, double *a) {
  for (int k = 0; k < n; ++k) {
    a[k * n + k] = sqrt(a[k * n + k]);
    for (int i = k + 1; i < n; ++i) {
      a[i * n + k] /= a[k * n + k];
    }
    for (int j = k + 1; j < n; ++j) {
      for (int i = j; i < n; ++i) {
        a[i * n + j] -= a[i * n + k] * a[j * n + k];
      }
    }
  }
}

#pragma oss task in([n * n] a) inout([n * n] b)

void solve(int n, const double *a, double *b) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = b[i * n + j];
      for (int k = 0; k < j; ++k) {
        sum -= b[i * n + k] * a[j * n + k];
      }
      b[i * n + j] = sum / a[j * n + j];
    }
  }
}

#pragma oss task in([n * n] a, [n * n] b) inout([n * n] c)

void subtract(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k < n; ++k) {
        sum += a[i * n + k] * b[j * n + k];
      }
      c[i * n + j] -= sum;
    }
  }
}

#pragma oss task out([n * n] a)

void fill(int n, int row, int column, double *a) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      int distance = abs(row * n + i - column * n - j);
      a[i * n + j] = distance == 0 ? 4 : 1.0 / (1 + distance * distance);
    }
  }
}

int main(int argc, char **argv) {
  int tiles = argc > 1 ? atoi(argv[1]) : 6, n = argc > 2 ? atoi(argv[2]) : 24;
  size_t bytes = sizeof(double) * tiles * tiles * n * n;
  double *memory = nanos6_dmalloc(bytes, nanos6_equpart_distribution, 0, NULL);
#define TILE(i, j) (memory + ((size_t)(i) * tiles + (j)) * n * n)
  for (int i = 0; i < tiles; ++i) {
    for (int j = 0; j <= i; ++j) {
      fill(n, i, j, TILE(i, j));
    }
  }
  for (int k = 0; k < tiles; ++k) {
    factor(n, TILE(k, k));
    for (int i = k + 1; i < tiles; ++i) {
      solve(n, TILE(k, k), TILE(i, k));
    }
    for (int i = k + 1; i < tiles; ++i) {
      for (int j = k + 1; j <= i; ++j) {
        subtract(n, TILE(i, k), TILE(j, k), TILE(i, j));
      }
    }
  }
#pragma oss taskwait
  double sum = 0;
  for (int i = 0; i < tiles; ++i) {
    for (int j = 0; j <= i; ++j) {
      for (int k = 0; k < n * n; ++k) {
        if (j < i || k % n <= k / n) {
          sum += TILE(i, j)[k] * (1 + (i + j + k) % 3);
        }
      }
    }
  }
  printf("%.12g\n", sum);
  nanos6_dfree(memory, bytes);
}
