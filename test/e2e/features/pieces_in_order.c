// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARGS: 3
// THREADS: 2
/// \file
/// Loops whose schedule names the length of pieces, each of which one thread executes in order.
/// Within a piece they count on that, by what they write or by what they leave in private
/// variables; the last piece is shorter. Others have such schedules and do not count on them:
/// stencils on two arrays, one colour of points, histograms, sums. Which ones are distributed is
/// asserted in counters.py.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 200, ALL = N * N, PIECE = 24, BINS = 64 };

/// Of each piece an iteration counts on the one before.
static void inOrder(double *x, double *y, int *z, double *sums, int piece) {
  int state = 0;
#pragma omp parallel for schedule(static, PIECE)
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N - 9; ++j) {
      x[i * N + j] = x[i * N + j] * 0.5 + j % 17 + (i % PIECE ? x[(i - 1) * N + j + 9] : 0);
    }
  }
#pragma omp parallel for schedule(dynamic, 16)
  for (int i = 0; i < ALL; ++i) {
    y[i] = i % 16 ? 0.5 * y[i - 1] + 0.25 * y[i] : y[i];
  }
#pragma omp parallel for schedule(static, piece) firstprivate(state)
  for (int i = 0; i < ALL; ++i) {
    state = i % piece ? state * 5 + 1 : i;
    z[i] = (z[i] + state) % 1000;
    state %= 1000;
  }
#pragma omp parallel for schedule(static, 50)
  for (int i = 0; i < ALL; ++i) {
    sums[i / 50] += x[i];
  }
#pragma omp parallel for collapse(2) schedule(monotonic : dynamic, N)
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) {
      y[i * N + j] += j ? 0.5 * y[i * N + j - 1] : 1;
    }
  }
  omp_set_schedule(omp_sched_static, piece);
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < ALL; ++i) {
    x[i] = i % piece ? 0.5 * x[i - 1] + 0.25 * x[i] : x[i];
  }
#pragma omp parallel for schedule(static, piece + 1)
  for (int i = ALL - 1; i >= 0; --i) {
    const int at = ALL - 1 - i;
    z[i] = (z[i] + (at % (piece + 1) ? 3 * z[i + 1] : 0)) % 1000;
  }
}

/// The same of one piece: there is nothing to divide.
static void inOnePiece(double *x) {
#pragma omp parallel for schedule(static, ALL)
  for (int i = 0; i < ALL - 1; ++i) {
    x[i + 1] += 0.125 * x[i];
  }
}

static double inAnyOrder(double *x, double *y, int *bins) {
  double sum = 0;
#pragma omp parallel for schedule(static, 8)
  for (int i = 1; i < N - 1; ++i) {
    for (int j = 1; j < N - 1; ++j) {
      y[i * N + j] = 0.2 * (x[i * N + j] + x[i * N + j - 1] + x[i * N + j + 1] + x[i * N + j - N] +
                            x[i * N + j + N]);
    }
  }
  for (int colour = 0; colour < 2; ++colour) {
#pragma omp parallel for schedule(static, 4)
    for (int i = 1; i < N - 1; ++i) {
      for (int j = 1 + (i + colour) % 2; j < N - 1; j += 2) {
        x[i * N + j] =
            0.25 * (x[i * N + j - 1] + x[i * N + j + 1] + x[i * N + j - N] + x[i * N + j + N]);
      }
    }
  }
#pragma omp parallel for schedule(dynamic, 64)
  for (int i = 0; i < ALL; ++i) {
#pragma omp atomic
    bins[(i * 7) % BINS] += i % 3;
  }
#pragma omp parallel for schedule(static, 100) reduction(+ : sum)
  for (int i = 0; i < ALL; ++i) {
    sum += x[i] * y[i];
  }
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < ALL; ++i) {
    y[i] += 0.5 * x[i];
  }
  return sum;
}

/// Threads of one construct share loops whose pieces have an order.
static void inConstruct(double *x, int *counts) {
#pragma omp parallel num_threads(4)
  {
    const int self = omp_get_thread_num();
#pragma omp for schedule(static, PIECE)
    for (int i = 0; i < ALL; ++i) {
      x[i] += i % PIECE ? 0.5 * x[i - 1] : 1;
    }
#pragma omp for schedule(dynamic, PIECE)
    for (int i = 0; i < ALL; ++i) {
      x[i] = 0.5 * x[i] + (i % PIECE ? 0.25 * x[i - 1] : 1);
    }
    counts[self] += self + 1;
  }
  omp_set_schedule(omp_sched_dynamic, PIECE);
#pragma omp parallel num_threads(3)
  {
    const int self = omp_get_thread_num();
#pragma omp for schedule(runtime)
    for (int i = 0; i < ALL; ++i) {
      x[i] = 0.5 * x[i] + (i % PIECE ? 0.25 * x[i - 1] : self < 3);
    }
    counts[self] += 1;
  }
}

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 3;
  const int which = argc > 2 ? atoi(argv[2]) : 15;
  const int piece = argc > 3 ? atoi(argv[3]) : 48;
  double *x = malloc(ALL * sizeof *x);
  double *y = malloc(ALL * sizeof *y);
  int *z = calloc(ALL, sizeof *z);
  double *sums = calloc(ALL / 50, sizeof *sums);
  int *bins = calloc(BINS, sizeof *bins);
  int *counts = calloc(4, sizeof *counts);
  for (int i = 0; i < ALL; ++i) {
    x[i] = i % 17;
    y[i] = i % 5;
  }
  double sum = 0;
  for (int round = 0; round < rounds; ++round) {
    if (which & 1) {
      inOrder(x, y, z, sums, piece);
    }
    if (which & 2) {
      inOnePiece(x);
    }
    if (which & 4) {
      sum += inAnyOrder(x, y, bins);
    }
    if (which & 8) {
      inConstruct(x, counts);
    }
    for (int i = 0; i < ALL; ++i) { // Whatever the rounds, of one size.
      x[i] /= 1 + (x[i] > 0 ? x[i] : -x[i]) / 50;
      y[i] /= 1 + (y[i] > 0 ? y[i] : -y[i]) / 50;
    }
  }
  double all = 0;
  for (int i = 0; i < ALL; ++i) {
    all += x[i] * (1 + i % 3) + y[i] * (1 + i % 7) + z[i] % 100 * 0.01;
  }
  for (int i = 0; i < ALL / 50; ++i) {
    all += sums[i] * (1 + i % 5);
  }
  for (int i = 0; i < BINS; ++i) {
    all += bins[i] * (1 + i % 5);
  }
  printf("%.8g %.8g %d\n", all, sum, counts[0] + counts[3]);
  return 0;
}
