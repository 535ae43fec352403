// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Indices modulo powers of two, beside counters that are narrow themselves.
#include <stdio.h>

enum { SIZE = 30000 };

static double table[64];
static double ring[256];
static double a[SIZE];
static double b[SIZE];

int main(void) {
  for (int i = 0; i < 64; ++i) {
    table[i] = i * i;
  }
  for (int i = 0; i < 256; ++i) {
    ring[i] = i;
  }
#pragma omp parallel for
  for (int i = 0; i < SIZE; ++i) {
    a[i] = i % 7 + table[i & 63] + table[(i * 3) & 31] + ring[(unsigned char)i];
  }
#pragma omp parallel for
  for (int i = 0; i < SIZE; ++i) {
    double sum = 0;
    for (int j = 0; j < 100; ++j) {
      sum += ring[(i + j) & 255] * table[j & 15];
    }
    b[i] = sum;
  }
#pragma omp parallel for collapse(2)
  for (int i = 0; i < SIZE / 100; ++i) {
    for (int j = 0; j < 100; ++j) {
      b[i * 100 + j] += table[j & 63];
    }
  }
#pragma omp parallel for
  for (unsigned short i = 0; i < SIZE; ++i) {
    b[i] += a[i];
  }
#pragma omp parallel for
  for (unsigned char i = 0; i < 200; ++i) {
    ring[i] += a[i];
  }
#pragma omp parallel for
  for (unsigned i = 0; i < 100; ++i) {
    ring[(i * 2) & 255] *= 3;
  }
#pragma omp parallel for
  for (int i = 0; i < SIZE / 100; ++i) {
    for (unsigned char k = 0; k < 100; ++k) {
      a[i * 100 + k] -= k;
    }
  }
  double sum = 0;
  for (int i = 0; i < SIZE; ++i) {
    sum += a[i] * (i % 5) + b[i] * (i % 3);
  }
  for (int i = 0; i < 256; ++i) {
    sum += ring[i] * i;
  }
  printf("%.10g\n", sum);
  return 0;
}
