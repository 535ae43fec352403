// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#define TABLE 3000

extern double table[]; ///< Of a size that only its definition says.

extern struct named {
  long count;
  double values[]; ///< Longer than the type says.
} named;

/// Tables with static storage: their begins, the middle of one, and their ends.
enum { POINTERS = 7 };

double *pointerTo(int which);
long extentOf(int which);   ///< Elements of the table.
long positionOf(int which); ///< Of the pointer in its table.

/// out[i] = from[index[i]]
void gather(long n, double *out, const double *from, const long *index);
