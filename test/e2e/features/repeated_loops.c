// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Parallel constructs in which a sequential loop executes a worksharing loop again and again: each
/// execution needs what all threads wrote in the one before it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { kCells = 4001 };

static double u[kCells];

static double sum(const double *of, int n) {
  double total = 0;
  for (int i = 0; i < n; ++i) {
    total += of[i] * (i % 7);
  }
  return total;
}

/// Much work in each cell, so that the loop is worth distributing.
static double smooth(double left, double right) {
  double x = 0.5 * (left + right);
  for (int k = 0; k < 400; ++k) {
    x = 0.99 * x + 0.01 * sin(x);
  }
  return x;
}

static void redBlack(int sweeps) {
#pragma omp parallel
  for (int s = 0; s < sweeps; ++s) {
#pragma omp for
    for (int i = 1; i < kCells - 1; ++i) {
      if ((i + s) & 1) {
        u[i] = smooth(u[i - 1], u[i + 1]);
      }
    }
  }
}

/// The loop reads its own cells only, but each thread reads others between two executions.
static void followLimit(double *w, int n) {
#pragma omp parallel
  for (int k = 0; k < 50; ++k) {
    const double limit = w[k * 17];
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < n; ++i) {
      w[i] = w[i] * 0.9 + limit * 0.01;
    }
  }
}

static void onTarget(double *w, int n) {
#pragma omp target parallel map(tofrom : w[0 : n])
  for (int k = 0; k < 6; ++k) {
#pragma omp for
    for (int i = 1; i < n - 1; ++i) {
      if ((i + k) & 1) {
        w[i] = 0.5 * (w[i - 1] + w[i + 1]);
      }
    }
  }
}

static void exchange(double *from, double *to, int n) {
#pragma omp for schedule(dynamic, 16)
  for (int i = 1; i < n - 1; ++i) {
    to[i] = 0.25 * from[i - 1] + 0.5 * from[i] + 0.25 * from[i + 1];
  }
}

/// Each thread swaps pointers of its own, and the loop is a function's.
static void swapped(double *a, double *b, int n, int steps) {
#pragma omp parallel
  {
    double *from = a, *to = b;
    for (int t = 0; t < steps; ++t) {
      exchange(from, to, n);
      double *other = from;
      from = to;
      to = other;
    }
  }
}

/// Until nothing changes: the end of the outer loop is found in what the loop writes.
static int settle(int *x, int n) {
  int *changed = calloc(2, sizeof *changed), rounds = 0;
#pragma omp parallel firstprivate(rounds)
  {
    do {
#pragma omp barrier
#pragma omp single
      changed[0] = 0;
#pragma omp for reduction(| : changed[ : 1])
      for (int i = 0; i < n; ++i) {
        if (x[i] > i % 5) {
          --x[i];
          changed[0] |= 1;
        }
      }
      ++rounds;
    } while (changed[0]);
#pragma omp single
    changed[1] = rounds;
  }
  rounds = changed[1];
  free(changed);
  return rounds;
}

int main(int argc, char **argv) {
  const int n = 1000, sweeps = argc + 1; // Not a constant, or the optimiser would unroll the loop.
  (void)argv;
  for (int i = 0; i < kCells; ++i) {
    u[i] = i * 37L % 101;
  }
  for (int repeat = 0; repeat < 12; ++repeat) {
    redBlack(sweeps);
  }
  double *w = malloc(n * sizeof *w), *v = malloc(n * sizeof *v);
  int *x = malloc(n * sizeof *x);
  for (int i = 0; i < n; ++i) {
    v[i] = w[i] = i * 37L % 101;
    x[i] = i % 13;
  }
  printf("%.9e\n", sum(u, kCells));
  followLimit(w, n);
  printf("%.9e\n", sum(w, n));
  onTarget(w, n);
  printf("%.9e\n", sum(w, n));
  swapped(w, v, n, sweeps * 3 + 1);
  printf("%.9e %.9e\n", sum(w, n), sum(v, n));
  printf("%d %d\n", settle(x, n), x[n - 1]);
  free(w);
  free(v);
  free(x);
  return 0;
}
