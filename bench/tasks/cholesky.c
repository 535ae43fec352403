// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Cholesky factorisation by blocks, one task for each: with OmpSs-2's pragmas, with OpenMP's
/// (-DOPENMP), or in a row (neither compiler flag). cholesky [blocks per side] [rows of a block]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define DO(text) _Pragma(#text)
#ifdef OPENMP
#define TASK1(kind1, a) DO(omp task depend(kind1 : (a)[0]))
#define TASK2(a, b) DO(omp task depend(in : (a)[0]) depend(inout : (b)[0]))
#define TASK3(a, b, c) DO(omp task depend(in : (a)[0], (b)[0]) depend(inout : (c)[0]))
#else
#define TASK1(kind1, a) DO(oss task kind1([rows * rows] a))
#define TASK2(a, b) DO(oss task in([rows * rows] a) inout([rows * rows] b))
#define TASK3(a, b, c) DO(oss task in([rows * rows] a, [rows * rows] b) inout([rows * rows] c))
#endif

static void factor(int rows, double *a) {
  for (int k = 0; k < rows; k++) {
    a[k * rows + k] = sqrt(a[k * rows + k]);
    for (int i = k + 1; i < rows; i++) {
      a[i * rows + k] /= a[k * rows + k];
    }
    for (int i = k + 1; i < rows; i++) {
      for (int j = k + 1; j <= i; j++) {
        a[i * rows + j] -= a[i * rows + k] * a[j * rows + k];
      }
    }
  }
}

static void solve(int rows, const double *l, double *a) {
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < rows; j++) {
      double sum = a[i * rows + j];
      for (int k = 0; k < j; k++) {
        sum -= a[i * rows + k] * l[j * rows + k];
      }
      a[i * rows + j] = sum / l[j * rows + j];
    }
  }
}

static void update(int rows, const double *a, const double *b, double *c) {
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < rows; j++) {
      double sum = 0;
      for (int k = 0; k < rows; k++) {
        sum += a[i * rows + k] * b[j * rows + k];
      }
      c[i * rows + j] -= sum;
    }
  }
}

static void cholesky(int blocks, int rows, double *const *tile) {
  for (int k = 0; k < blocks; k++) {
    double *diagonal = tile[k * blocks + k];
    TASK1(inout, diagonal)
    factor(rows, diagonal);
    for (int i = k + 1; i < blocks; i++) {
      double *below = tile[i * blocks + k];
      TASK2(diagonal, below)
      solve(rows, diagonal, below);
    }
    for (int i = k + 1; i < blocks; i++) {
      for (int j = k + 1; j <= i; j++) {
        double *left = tile[i * blocks + k], *above = tile[j * blocks + k],
               *to = tile[i * blocks + j];
        TASK3(left, above, to)
        update(rows, left, above, to);
      }
    }
  }
#ifdef OPENMP
#pragma omp taskwait
#else
#pragma oss taskwait
#endif
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void fill(int blocks, int rows, double **tile) {
  for (int i = 0; i < blocks; i++) {
    for (int j = 0; j < blocks; j++) {
      for (int k = 0; k < rows * rows; k++) {
        const int row = i * rows + k / rows, column = j * rows + k % rows;
        tile[i * blocks + j][k] =
            row == column ? 2.0 * blocks * rows : 1.0 / (1 + abs(row - column));
      }
    }
  }
}

int main(int argc, char **argv) {
  const int blocks = argc > 1 ? atoi(argv[1]) : 32, rows = argc > 2 ? atoi(argv[2]) : 64;
  double **tile = malloc(sizeof *tile * blocks * blocks), best = 1e9, trace = 0;
  for (int i = 0; i < blocks * blocks; i++) {
    tile[i] = malloc(sizeof(double) * rows * rows);
  }
  for (int run = 0; run < 5; run++) {
    fill(blocks, rows, tile);
    const double begin = now();
#ifdef OPENMP
#pragma omp parallel
#pragma omp single
#endif
    cholesky(blocks, rows, tile);
    const double seconds = now() - begin;
    best = seconds < best ? seconds : best;
  }
  for (int i = 0; i < blocks; i++) {
    for (int k = 0; k < rows; k++) {
      trace += tile[i * blocks + i][k * rows + k];
    }
  }
  printf("%d blocks of %d: %.2f ms, trace %.6f\n", blocks, rows, 1e3 * best, trace);
}
