// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tasks of the host that give kernels memory of their own: copies, and variables on their stacks.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

enum { kTasks = 12, kCells = 300 };

static double sumOf(const double *cells, long n) {
  double sum = 0;
  for (long i = 0; i < n; ++i) {
    sum = sum * 0.99 + cells[i];
  }
  return sum;
}

/// Kernels follow one another, and code of the host comes between.
static double onStack(int task, const double *shared) {
  double x[kCells];
  double y[kCells];
  for (int i = 0; i < kCells; ++i) {
    x[i] = i % (task + 3);
    y[i] = task;
  }
  axpy(kCells, 0.5, x, y);
  smooth(kCells, y, x);
  axpy(kCells / 2, 2.0, shared, x + kCells / 2);
#pragma oss task inout(x[0; kCells]) in(y[0; kCells])
  for (int i = 0; i < kCells; ++i) {
    x[i] = x[i] * 2 + y[i];
  }
  later(100, 50, x);
#pragma oss taskwait
  return sumOf(x, kCells) + sumOf(y, kCells);
}

/// What tasks below this one are given is what this one has.
static double below(int depth, double value) {
  double cells[64];
  for (int i = 0; i < 64; ++i) {
    cells[i] = value + i;
  }
  later(8, 40, cells);
  if (depth > 0) {
    double *first = cells;
#pragma oss task inout(first[0; 64])
    {
      first[0] = below(depth - 1, first[8]);
      axpy(32, 1.0, first, first + 32);
#pragma oss taskwait
    }
  }
#pragma oss taskwait
  return sumOf(cells, 64);
}

int main(void) {
  double *shared = malloc(kCells * sizeof *shared);
  double copied[kCells];
  double results[3][kTasks];
  memset(results, 0, sizeof results);
  for (int i = 0; i < kCells; ++i) {
    shared[i] = 1.0 / (i + 1);
    copied[i] = i * 0.25;
  }
  for (int task = 0; task < kTasks; ++task) {
#pragma oss task out(results[0][task]) in(shared[0; kCells])
    results[0][task] = onStack(task, shared);
    // Its copy holds what the variable holds now; the task writes to another one.
#pragma oss task out(results[1][task]) in(shared[0; kCells])firstprivate(copied)
    {
      double mine[kCells] = {0};
      axpy(kCells, task, copied, mine);
      smooth(kCells, shared, mine);
#pragma oss taskwait
      results[1][task] = sumOf(mine, kCells) + sumOf(copied, kCells);
    }
#pragma oss task out(results[2][task])
    results[2][task] = below(task % 4, task);
  }
#pragma oss taskwait
  for (int task = 0; task < kTasks; ++task) {
    printf("%.12g %.12g %.12g\n", results[0][task], results[1][task], results[2][task]);
  }
  free(shared);
  return 0;
}
