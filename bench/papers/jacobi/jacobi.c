// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The Jacobi relaxation of the paper on CPU, MIC and GPU (its listing 1) in plain OpenMP: lines
/// are divided, each point becomes the mean of five, no result is computed on the way.
///
///   jacobi LINES COLUMNS SECONDS [BLOCK]
///
/// With BLOCK the strips of the lines are gone through in blocks of so many columns, as the paper
/// does where lines are wider than a core's cache. Steps are timed until so many took SECONDS
/// together. Prints `seconds_per_step seconds_beside_steps steps check`: the second is for memory,
/// first values, first step and reading the result back; the check is of the third step.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { kFirstSteps = 3 };

static long lines, columns, block;
static double *now, *next;

static void start(double *grid) {
  const long width = columns;
#pragma omp parallel for
  for (long line = 0; line < lines; ++line) {
    for (long column = 0; column < width; ++column) {
      grid[line * width + column] = line == 0 || column == 0 ? 1 : 0;
    }
  }
}

static void relax(const double *restrict old, double *restrict new) {
  const long width = columns;
#pragma omp parallel for
  for (long line = 1; line < lines - 1; ++line) {
    for (long column = 1; column < width - 1; ++column) {
      const long at = line * width + column;
      new[at] = 0.2 * (old[at - width] + old[at - 1] + old[at] + old[at + 1] + old[at + width]);
    }
  }
}

/// A thread goes through all of its lines before it comes to the next block of columns.
static void relaxBlocks(const double *restrict old, double *restrict new) {
  const long width = columns, wide = block;
#pragma omp parallel
  {
    const long threads = omp_get_num_threads(), self = omp_get_thread_num();
    const long lower = 1 + (lines - 2) * self / threads;
    const long upper = 1 + (lines - 2) * (self + 1) / threads;
    for (long first = 1; first < width - 1; first += wide) {
      const long last = first + wide < width - 1 ? first + wide : width - 1;
      for (long line = lower; line < upper; ++line) {
        for (long column = first; column < last; ++column) {
          const long at = line * width + column;
          new[at] = 0.2 * (old[at - width] + old[at - 1] + old[at] + old[at + 1] + old[at + width]);
        }
      }
    }
  }
}

static volatile double touched;

static double secondsOf(long steps) {
  const double begin = omp_get_wtime();
  for (long step = 0; step < steps; ++step) {
    if (block > 0) {
      relaxBlocks(now, next);
    } else {
      relax(now, next);
    }
    double *swap = now;
    now = next;
    next = swap;
  }
  touched = now[(lines - 1) * columns - 2]; // Waits for the step.
  return omp_get_wtime() - begin;
}

static double sum(void) {
  double all = 0;
  for (long at = 0; at < lines * columns; ++at) {
    all += now[at] * (double)(at % 7 + 1);
  }
  return all;
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: jacobi LINES COLUMNS SECONDS [BLOCK]\n");
    return 1;
  }
  lines = atol(argv[1]);
  columns = atol(argv[2]);
  const double enough = atof(argv[3]);
  block = argc > 4 ? atol(argv[4]) : 0;
  const double begin = omp_get_wtime();
  now = malloc(lines * columns * sizeof *now);
  next = malloc(lines * columns * sizeof *next);
  if (!now || !next) {
    fprintf(stderr, "jacobi: no memory for %ld times %ld points\n", lines, columns);
    return 1;
  }
  start(now);
  start(next);
  secondsOf(kFirstSteps);
  double beside = omp_get_wtime() - begin;
  const double check = sum();
  secondsOf(2); // What was read goes back to where it is computed.
  long steps = 1;
  double taken = 0;
  while ((taken = secondsOf(steps)) < enough) {
    steps *= taken < enough / 16 ? 8 : 2;
  }
  const double each = taken / (double)steps;
  const double end = omp_get_wtime();
  touched = sum();
  beside += omp_get_wtime() - end - kFirstSteps * each;
  printf("%.6e %.6e %ld %.9e\n", each, beside > 0 ? beside : 0, steps, check);
  return 0;
}
