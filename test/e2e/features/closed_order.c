// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARGS: 3
// THREADS: 1
/// \file
/// Loops in closed form of a program that asks how many threads there are. Where it hears of one,
/// loops may count on the order of their iterations, by what they write or by what they leave in
/// private variables. Others do not, and are distributed: stencils on two arrays, one colour of
/// points, steps of an elimination, triangles, rows behind pointers, merged loops, columns, sums.
/// Which ones stay home is asserted in counters.py.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 192, ALL = N * N, BINS = 64 };

/// With one thread only: each iteration counts on the ones before.
static void inOrder(double *x, double *y, int *z) {
  int next = 3;
  double last[2] = {1, 2};
  double shared = 0;
  int most = -1;
  int first = -1;
#pragma omp parallel for
  for (int i = 0; i < ALL; ++i) { // Of equal ones the first.
#pragma omp critical
    {
      if (i % 101 > most) {
        most = i % 101;
        first = i;
      }
    }
  }
  z[0] += first;
#pragma omp parallel for
  for (int i = 1; i < ALL; ++i) {
    x[i] = 0.5 * x[i - 1] + 0.25 * x[i];
  }
#pragma omp parallel for
  for (int i = 0; i < ALL - N; ++i) {
    y[i + N] = 0.5 * y[i] + i % 3;
  }
#pragma omp parallel for firstprivate(next)
  for (int i = 0; i < ALL; ++i) {
    z[i] += next++;
  }
#pragma omp parallel for firstprivate(last)
  for (int i = 0; i < ALL; ++i) {
    x[i] += last[i % 2];
    last[(i + 1) % 2] = 0.5 * y[i];
  }
#pragma omp parallel for shared(shared)
  for (int i = 0; i < ALL; ++i) {
    shared = y[i] + 1;
    x[i] += 0.125 * shared;
  }
#pragma omp parallel for collapse(2)
  for (int i = 1; i < N; ++i) {
    for (int j = 0; j < N; ++j) {
      y[i * N + j] += 0.5 * y[(i - 1) * N + j];
    }
  }
}

static double inAnyOrder(double *x, double *y, double **rows, double *a, int round) {
  double bins[BINS] = {0};
  double sum = 0;
#pragma omp parallel for
  for (int i = 1; i < N - 1; ++i) {
    for (int j = 1; j < N - 1; ++j) {
      y[i * N + j] = 0.2 * (x[i * N + j] + x[i * N + j - 1] + x[i * N + j + 1] + x[i * N + j - N] +
                            x[i * N + j + N]);
    }
  }
  for (int colour = 0; colour < 2; ++colour) {
#pragma omp parallel for
    for (int i = 1; i < N - 1; ++i) {
      for (int j = 1 + (i + colour) % 2; j < N - 1; j += 2) {
        x[i * N + j] =
            0.25 * (x[i * N + j - 1] + x[i * N + j + 1] + x[i * N + j - N] + x[i * N + j + N]);
      }
    }
  }
  const int k = round % 4;
#pragma omp parallel for
  for (int i = k + 1; i < N; ++i) {
    a[i * N + k] /= a[k * N + k];
    for (int j = k + 1; j < N; ++j) {
      a[i * N + j] -= a[i * N + k] * a[k * N + j];
    }
  }
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < N; ++i) {
    double product = 0;
    for (int j = 0; j <= i; ++j) {
      product += a[i * N + j] * y[j];
    }
    x[i * N] += product;
    sum += product;
  }
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) {
      rows[i][j] = 0.5 * rows[i][j] + y[i * N + j];
    }
  }
#pragma omp parallel for collapse(2)
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N / 2; ++j) {
      y[i * N + j] += 0.5 * y[i * N + j + N / 2];
    }
  }
#pragma omp parallel for
  for (int j = 0; j < N; ++j) {
    double column[N];
    for (int i = 0; i < N; ++i) {
      column[i] = y[i * N + j];
    }
    for (int i = 1; i < N; ++i) {
      y[i * N + j] = 0.5 * (column[i] + column[i - 1]);
    }
  }
#pragma omp parallel for reduction(+ : bins[ : BINS]) reduction(max : sum)
  for (int i = 0; i < ALL; ++i) {
    bins[i % BINS] += i % 7;
    sum = x[i] > sum ? x[i] : sum;
  }
#pragma omp parallel for schedule(static, 16)
  for (int i = ALL - 1; i >= 0; --i) {
    x[i] = 0.75 * x[i] + bins[3];
  }
  return sum + bins[5];
}

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 2;
  const int ordered = argc > 2 ? atoi(argv[2]) : 1;
  const int threads = omp_get_max_threads();
  double *x = malloc(ALL * sizeof *x);
  double *y = malloc(ALL * sizeof *y);
  double *a = malloc(ALL * sizeof *a);
  int *z = calloc(ALL, sizeof *z);
  double **rows = malloc(N * sizeof *rows);
  for (int i = 0; i < ALL; ++i) {
    x[i] = i % 17;
    y[i] = i % 5;
    a[i] = i % 13 + (i % (N + 1) == 0 ? 100 : 0);
  }
  for (int i = 0; i < N; ++i) {
    rows[i] = calloc(N, sizeof **rows);
  }
  double sum = 0;
  for (int round = 0; round < rounds; ++round) {
    sum += inAnyOrder(x, y, rows, a, round);
    if (ordered && threads == 1) {
      inOrder(x, y, z);
    }
  }
  double all = 0;
  long count = 0;
  for (int i = 0; i < ALL; ++i) {
    all += (x[i] + a[i]) * (i % 11) + y[i] * (i % 7) + rows[i / N][i % N];
    count = 3 * count % 1000003 + z[i] % 1000;
  }
  printf("%.12g %.12g %ld\n", sum, all, count);
  for (int i = 0; i < N; ++i) {
    free(rows[i]);
  }
  free(rows);
  free(z);
  free(a);
  free(y);
  free(x);
  return 0;
}
