// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Programs whose tasks use a block of each array: saxpy and triad, bound by memory, and
/// Black and Scholes' prices, bound by computing.
#include "programs.h"

static void fillSaxpy(const struct Arrays *arrays) {
  float *x = arrays->at[0];
  float *y = arrays->at[1];
  for (long i = 0; i < arrays->n; ++i) {
    x[i] = (float)(i % 9);
    y[i] = (float)(i % 4);
  }
}

static int runSaxpy(const struct Arrays *arrays, long rounds) {
  const float *x = arrays->at[0];
  float *y = arrays->at[1];
  for (long round = 0; round < rounds; ++round) {
    for (long i = 0; i < arrays->n; i += arrays->block) {
      KERNEL(saxpy)(arrays->block, 0.5F, x + i, y + i);
    }
  }
  return 1;
}

static void fillTriad(const struct Arrays *arrays) {
  double *a = arrays->at[0];
  double *b = arrays->at[1];
  double *c = arrays->at[2];
  for (long i = 0; i < arrays->n; ++i) {
    a[i] = 0;
    b[i] = (double)(i % 9);
    c[i] = (double)(i % 4);
  }
}

/// What one round writes the next one reads.
static int runTriad(const struct Arrays *arrays, long rounds) {
  int to = 0;
  for (long round = 0; round < rounds; ++round) {
    double *a = arrays->at[to];
    const double *b = arrays->at[(to + 1) % 3];
    const double *c = arrays->at[(to + 2) % 3];
    for (long i = 0; i < arrays->n; i += arrays->block) {
      KERNEL(triad)(arrays->block, 0.25, b + i, c + i, a + i);
    }
    to = (to + 2) % 3;
  }
  return (to + 1) % 3;
}

static void fillOptions(const struct Arrays *arrays) {
  float *price = arrays->at[0];
  float *strike = arrays->at[1];
  float *years = arrays->at[2];
  for (long i = 0; i < arrays->n; ++i) {
    price[i] = (float)(5 + i % 25);
    strike[i] = (float)(1 + i % 99);
    years[i] = 0.25F * (float)(1 + i % 39);
  }
}

static int runOptions(const struct Arrays *arrays, long rounds) {
  const float *price = arrays->at[0];
  const float *strike = arrays->at[1];
  const float *years = arrays->at[2];
  float *call = arrays->at[3];
  float *put = arrays->at[4];
  for (long round = 0; round < rounds; ++round) {
    for (long i = 0; i < arrays->n; i += arrays->block) {
      KERNEL(price_options)(arrays->block, price + i, strike + i, years + i, call + i, put + i);
    }
  }
  return 3;
}

const struct Program kSaxpy = {"saxpy", 2, 0, sizeof(float), fillSaxpy, runSaxpy};
const struct Program kTriad = {"triad", 3, 0, sizeof(double), fillTriad, runTriad};
const struct Program kBlackScholes = {"black_scholes", 5,           0,
                                      sizeof(float),   fillOptions, runOptions};
