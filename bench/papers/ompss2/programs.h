/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The programs, whose calls of kernels are tasks, or blocking calls that copy (blocking.h). */
#pragma once

#ifdef BLOCKING
#include "blocking.h"
#else
#include "kernels.h"
#define KERNEL(name) name
#endif

enum { kMostArrays = 5 };

/* Arrays of one program. */
struct Arrays {
  long n;     /* Cells of each array, or rows of it. */
  long block; /* Of each task. */
  void *at[kMostArrays];
};

struct Program {
  const char *name;
  int arrays;
  int isSquare; /* Whether an array has n * n cells. */
  int cellBytes;
  void (*fill)(const struct Arrays *arrays);
  /* Makes the tasks. What it leaves is in the array whose number it returns. */
  int (*run)(const struct Arrays *arrays, long rounds);
};

extern const struct Program kMatmul;
extern const struct Program kCholesky;
extern const struct Program kBlackScholes;
extern const struct Program kSaxpy;
extern const struct Program kTriad;
extern const struct Program kHotspot;
extern const struct Program kJacobi;
