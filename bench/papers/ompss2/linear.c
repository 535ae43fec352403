// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tiled product and Cholesky's factorisation: bound by computing.
#include "programs.h"

static double *tileOf(const struct Arrays *of, int array, long row, long column) {
  const long tiles = of->n / of->block;
  return (double *)of->at[array] + (row * tiles + column) * of->block * of->block;
}

static void fillMatmul(const struct Arrays *arrays) {
  double *a = arrays->at[0];
  double *b = arrays->at[1];
  double *c = arrays->at[2];
  for (long i = 0; i < arrays->n * arrays->n; ++i) {
    a[i] = (double)(i % 7);
    b[i] = (double)(i % 5) - 2;
    c[i] = 0;
  }
}

static int runMatmul(const struct Arrays *arrays, long rounds) {
  const long tiles = arrays->n / arrays->block;
  for (long round = 0; round < rounds; ++round) {
    for (long i = 0; i < tiles; ++i) {
      for (long j = 0; j < tiles; ++j) {
        for (long k = 0; k < tiles; ++k) {
          KERNEL(multiply)(arrays->block, tileOf(arrays, 0, i, k), tileOf(arrays, 1, k, j),
                           tileOf(arrays, 2, i, j));
        }
      }
    }
  }
  return 2;
}

/// Symmetric, with a diagonal that outweighs the rest.
static void fillCholesky(const struct Arrays *arrays) {
  const long n = arrays->n;
  const long block = arrays->block;
  for (long row = 0; row < n; ++row) {
    for (long column = 0; column < n; ++column) {
      double *tile = tileOf(arrays, 0, row / block, column / block);
      tile[row % block * block + column % block] =
          row == column ? (double)n : 1.0 / (double)(1 + (row * column) % 11);
    }
  }
}

static int runCholesky(const struct Arrays *arrays, long rounds) {
  const long tiles = arrays->n / arrays->block;
  const long block = arrays->block;
  (void)rounds; // Once: it overwrites what it reads.
  for (long k = 0; k < tiles; ++k) {
    KERNEL(factorise)(block, tileOf(arrays, 0, k, k));
    for (long i = k + 1; i < tiles; ++i) {
      KERNEL(solve)(block, tileOf(arrays, 0, k, k), tileOf(arrays, 0, i, k));
    }
    for (long i = k + 1; i < tiles; ++i) {
      for (long j = k + 1; j <= i; ++j) {
        KERNEL(update)(block, tileOf(arrays, 0, i, k), tileOf(arrays, 0, j, k),
                       tileOf(arrays, 0, i, j));
      }
    }
  }
  return 0;
}

const struct Program kMatmul = {"matmul", 3, 1, sizeof(double), fillMatmul, runMatmul};
const struct Program kCholesky = {"cholesky", 1, 1, sizeof(double), fillCholesky, runCholesky};
