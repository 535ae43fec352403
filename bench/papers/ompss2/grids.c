// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Steps over grids by blocks of rows, each of which reads a row of the blocks beside it: bound by
/// memory.
#include "programs.h"

static void fillHotspot(const struct Arrays *arrays) {
  float *power = arrays->at[0];
  float *first = arrays->at[1];
  float *second = arrays->at[2];
  for (long i = 0; i < arrays->n * arrays->n; ++i) {
    power[i] = 0.001F * (float)(i % 13);
    first[i] = (float)(70 + i % 17);
    second[i] = 0;
  }
}

static int runHotspot(const struct Arrays *arrays, long rounds) {
  const long n = arrays->n;
  const float *power = arrays->at[0];
  for (long round = 0; round < rounds; ++round) {
    const float *from = arrays->at[1 + round % 2];
    float *to = arrays->at[2 - round % 2];
    for (long row = 0; row < n; row += arrays->block) {
      const long above = row > 0;
      const long below = row + arrays->block < n;
      KERNEL(heat)(arrays->block, n, above, below, power + row * n, from + (row - above) * n,
                   to + row * n);
    }
  }
  return rounds % 2 == 0 ? 1 : 2;
}

static void fillJacobi(const struct Arrays *arrays) {
  double *first = arrays->at[0];
  double *second = arrays->at[1];
  for (long i = 0; i < arrays->n * arrays->n; ++i) {
    first[i] = (double)(i % 17);
    second[i] = 0;
  }
}

static int runJacobi(const struct Arrays *arrays, long rounds) {
  const long n = arrays->n;
  for (long round = 0; round < rounds; ++round) {
    const double *from = arrays->at[round % 2];
    double *to = arrays->at[1 - round % 2];
    for (long row = 0; row < n; row += arrays->block) {
      const long above = row > 0;
      const long below = row + arrays->block < n;
      KERNEL(relax)(arrays->block, n, above, below, from + (row - above) * n, to + row * n);
    }
  }
  return rounds % 2 == 0 ? 0 : 1;
}

const struct Program kHotspot = {"hotspot", 3, 1, sizeof(float), fillHotspot, runHotspot};
const struct Program kJacobi = {"jacobi", 2, 1, sizeof(double), fillJacobi, runJacobi};
