// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops that move the pointers on by which they write.
#include <stdio.h>
#include <stdlib.h>

enum { kRows = 61 };

/// The loop itself moves the pointers on.
int main(void) {
  double *data = calloc(kRows * 8, sizeof *data);
  double *at[kRows];
  for (int i = 0; i < kRows; ++i) {
    at[i] = data + (size_t)i * 8;
  }
  for (int step = 0; step < 4; ++step) {
#pragma omp parallel for
    for (int i = 0; i < kRows; ++i) {
      *at[i] = i + step;
      at[i] = at[i] + 1;
      *at[i] += 0.5;
    }
  }
  double sum = 0;
  for (int i = 0; i < kRows * 8; ++i) {
    sum += data[i] * (i % 11);
  }
  printf("cursors %.10g\n", sum);

  // Through bytes, which may be part of a pointer for all that the compiler knows.
  unsigned char *bytes[kRows];
  for (int i = 0; i < kRows; ++i) {
    bytes[i] = calloc(16, 1);
  }
  unsigned char **table = malloc(kRows * sizeof *table);
  for (int i = 0; i < kRows; ++i) {
    table[i] = i % 2 ? bytes[i] : (unsigned char *)&table[i];
  }
#pragma omp parallel for
  for (int i = 0; i < kRows; ++i) {
    unsigned char *before = bytes[i];
    if (i % 2 == 0) {
      table[i][0] ^= (unsigned char)(i + 1); // Changes the pointer itself,
      table[i] = before;
    }
    for (int k = 0; k < 16; ++k) {
      table[i][k] = (unsigned char)(i + k); // and is followed again.
    }
  }
  long total = 0;
  for (int i = 0; i < kRows; ++i) {
    for (int k = 0; k < 16; ++k) {
      total += bytes[i][k] * (k + 1);
    }
  }
  printf("bytes %ld\n", total);
  return 0;
}
