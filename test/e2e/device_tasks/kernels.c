// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tasks that are kernels, among tasks of the host, over heap, variables and main's stack.
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>

enum { kCells = 4096, kBlock = 500 };

static double table[kCells];

/// Blocks that share pages, each by a kernel or by the host in turns.
static void blocks(double *x, double *y, long n) {
  for (int round = 0; round < 6; ++round) {
    for (long begin = 0; begin < n; begin += kBlock) {
      const long count = n - begin < kBlock ? n - begin : kBlock;
      if ((begin / kBlock + round) % 3 == 0) {
        double *block = y + begin;
#pragma oss task inout(block[0;count])
        for (long i = 0; i < count; ++i) {
          block[i] = block[i] * 2 + i;
        }
      } else {
        axpy(count, round + 0.5, x + begin, y + begin);
      }
    }
  }
}

/// Kernels that follow one another, between two arrays.
static void time_loop(double *a, double *b, long n) {
  for (int step = 0; step < 20; ++step) {
    smooth(n, a, b);
    smooth(n, b, a);
  }
}

static void show(const char *name, const double *cells, long n) {
  double sum = 0;
  for (long i = 0; i < n; ++i) {
    sum = sum * 0.99 + cells[i];
  }
  printf("%s %.10g %.10g %.10g\n", name, sum, cells[0], cells[n - 1]);
}

int main(void) {
  double *x = malloc(kCells * sizeof *x);
  double *y = malloc(kCells * sizeof *y);
  for (long i = 0; i < kCells; ++i) {
    x[i] = i % 17;
    y[i] = 1;
    table[i] = i % 5;
  }
  blocks(x, y, kCells);
#pragma oss taskwait
  show("blocks", y, kCells);

  blocks(x, table, kCells);
#pragma oss taskwait in(table[0;kCells])
  show("variables", table, kCells);

  time_loop(x, y, kCells);
#pragma oss task in(x[0;kCells]) in(y[0;kCells])
  {
    show("time loop", x, kCells);
    show("its other half", y, kCells);
  }
#pragma oss taskwait

  float matrix[6][10];
  float turned[10][6];
  int cells[60];
  int whole[64];
  int parts[4];
  double all;
  for (int i = 0; i < 60; ++i) {
    matrix[i / 10][i % 10] = i;
  }
  for (int i = 0; i < 64; ++i) {
    whole[i] = i * i;
  }
  transpose(6, 10, &matrix[0][0], &turned[0][0]);
  number(cells);
  sums(4, whole, parts, NULL);
  kinds(-3, 200, -30000, 7, 4000000000U, 1L << 40, 0.25F, 1e-3, (struct Pair){1.5F, -9}, &all);
#pragma oss taskwait
  printf("%g %g %g\n", turned[9][0], turned[0][5], turned[4][3]);
  printf("%d %d %d\n", cells[0], cells[31], cells[59]);
  printf("%d %d %d %d\n", parts[0], parts[1], parts[2], parts[3]);
  printf("%.10g\n", all);

  double *many = calloc(1 << 21, sizeof *many);
  many[(1 << 21) - 1] = 8;
  later((1 << 21) - 100, 100, many);
#pragma oss taskwait
  printf("%g\n", many[(1 << 21) - 1]);
  free(many);

  // No work-items: nothing to do, but the order holds.
  axpy(0, 1.0, x, y);
#pragma oss taskwait
  // A parallel loop goes on with what kernels have left, and kernels with what it leaves.
  for (int round = 0; round < 3; ++round) {
    axpy(kCells, 1.0, x, y);
#pragma oss taskwait
#pragma omp parallel for
    for (long i = 0; i < kCells; ++i) {
      x[i] = y[i] / 2;
    }
  }
  show("loops between", x, kCells);
  free(x);
  free(y);
  return 0;
}
