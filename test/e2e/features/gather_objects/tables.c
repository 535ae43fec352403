// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tables that main.c knows by their names only, and functions that know tables by pointers only.
#include "tables.h"

double table[TABLE];
static double first[33];
static double second[64];
struct named named = {3, {1.0, 2.0, 4.0}};

double *pointerTo(int which) {
  switch (which) {
  case 0:
    return table;
  case 1:
    return table + TABLE / 2;
  case 2:
    return table + TABLE;
  case 3:
    return first;
  case 4:
    return first + 33;
  case 5:
    return second;
  default:
    return second + 64;
  }
}

long extentOf(int which) { return which < 3 ? TABLE : which < 5 ? 33 : 64; }

long positionOf(int which) {
  const long positions[] = {0, TABLE / 2, TABLE, 0, 33, 0, 64};
  return positions[which];
}

void gather(long n, double *out, const double *from, const long *index) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    out[i] = from[index[i]];
  }
}
