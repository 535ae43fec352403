// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Writes through computed indices, each element by one iteration, between loops that are divided:
/// to heap, static and stack arrays, through pointers into them, under conditions, and to what the
/// loop reads as well.
#include <stdio.h>
#include <stdlib.h>

enum { N = 3000, kGap = 4 };

static double fixed[2 * (N + kGap)];
double shared[N + 7];

typedef struct {
  long count;
  double *data;
  double tail[N];
} Holder;

static double sumOf(const double *values, long n) {
  double sum = 0.0;
  for (long i = 0; i < n; ++i) {
    sum += values[i] * (double)(i % 11 + 1);
  }
  return sum;
}

static void scatter(long n, double *to, const int *index, const double *from) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    to[index[i]] = from[i];
  }
}

/// A regular loop over the same data.
static void relax(long n, double *x, double factor) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    x[i] = factor * x[i] + 1.0;
  }
}

static void heapArrays(int *index, double *from) {
  double *to = malloc(2 * N * sizeof *to);
  for (int i = 0; i < 2 * N; ++i) {
    to[i] = -i;
  }
  for (int step = 0; step < 4; ++step) {
    scatter(N, to, index, from);
    relax(2 * N, to, 0.5); // What nobody scattered to is there as well.
    printf("heap %.4f\n", sumOf(to, 2 * N));
    scatter(N, to + N / 2, index, from);
    to[step] = 100.0 + step;
    relax(N, from, 0.75);
  }
  scatter(N, to + N, index, to); // Reads one half, writes the other one.
  printf("halves %.4f\n", sumOf(to, 2 * N));
  double small[40];
  double *few = malloc(sizeof small);
  for (int i = 0; i < 40; ++i) {
    few[i] = i;
  }
  for (int step = 0; step < 3; ++step) {
#pragma omp parallel for
    for (int i = 0; i < 20; ++i) {
      few[index[i] % 2 + 2 * i] += from[i]; // Shares its page with others.
    }
    from[step] += few[step];
  }
  printf("few %.4f\n", sumOf(few, 40));
  free(few);
  free(to);
}

static void staticArrays(const int *index, double *from) {
  for (int step = 0; step < 3; ++step) {
#pragma omp parallel for
    for (int i = 0; i < N; ++i) {
      fixed[index[i] + step] = from[i] + step;
      shared[index[i]] += fixed[N + kGap + i];
    }
    relax(N, shared, 0.5);
    relax(2 * (N + kGap), fixed, 0.9);
    scatter(N, shared + step, index, from);
    scatter(N, fixed + N + kGap - step, index, fixed);
    printf("static %.4f %.4f\n", sumOf(fixed, 2 * (N + kGap)), sumOf(shared, N));
  }
}

__attribute__((noinline)) static void stackArrays(const int *index, const double *from, int n) {
  double local[N];
  double sized[n];
  long before = 17;
  for (int i = 0; i < n; ++i) {
    local[i] = sized[i] = 0.5 * i;
  }
  for (int step = 0; step < 3; ++step) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      local[index[i]] = from[i] + local[index[i]];
    }
    ++before;
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      sized[index[i]] = from[i] + step;
    }
    scatter(n, local, index, sized);
    scatter(n, sized, index, from);
    before += (long)local[step];
  }
  printf("stack %.4f %.4f %ld\n", sumOf(local, n), sumOf(sized, n), before);
}

static void conditions(const int *index, const double *from) {
  double *to = calloc(N, sizeof *to);
  int *count = calloc(N, sizeof *count);
  for (int step = 0; step < 3; ++step) {
    double kept = 0.0;
#pragma omp parallel for reduction(+ : kept)
    for (int i = 0; i < N; ++i) {
      if ((index[i] + step) % 3 == 0) {
        to[index[i]] = from[i];
        kept += from[i];
      } else {
        ++count[index[i]];
      }
    }
    printf("kept %.4f %.4f\n", kept, sumOf(to, N));
  }
  long counted = 0;
  for (int i = 0; i < N; ++i) {
    counted += count[i] * (i % 5);
  }
  printf("counted %ld\n", counted);
  free(to);
  free(count);
}

/// Rows whose begins are looked up: every element is of one row.
static void rows(void) {
  enum { ROWS = 400 };

  int *start = malloc((ROWS + 1) * sizeof *start);
  start[0] = 0;
  for (int i = 0; i < ROWS; ++i) {
    start[i + 1] = start[i] + (i % 4 == 2 ? 0 : i % 6);
  }
  double *value = malloc((size_t)start[ROWS] * sizeof *value);
#pragma omp parallel for
  for (int i = 0; i < ROWS; ++i) {
    for (int k = start[i]; k < start[i + 1]; ++k) {
      value[k] = 1.0 / (k + i + 1);
    }
  }
  for (int step = 0; step < 3; ++step) {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < ROWS; ++i) {
      double sum = 0.0;
      for (int k = start[i]; k < start[i + 1]; ++k) {
        sum += value[k];
      }
      for (int k = start[i]; k < start[i + 1]; ++k) {
        value[k] /= 1.0 + sum;
      }
    }
  }
  printf("rows %.9f\n", sumOf(value, start[ROWS]));
  free(start);
  free(value);
}

/// The pointer that is followed lies in the allocation that is written.
static void ownHolder(const int *index, const double *from) {
  Holder *holder = malloc(sizeof *holder);
  holder->count = N;
  holder->data = holder->tail;
  for (int i = 0; i < N; ++i) {
    holder->tail[i] = i;
  }
#pragma omp parallel for
  for (long i = 0; i < holder->count; ++i) {
    holder->data[index[i]] = from[i];
  }
  printf("holder %.4f\n", sumOf(holder->tail, N));
  free(holder);
}

int main(int argc, char **argv) {
  (void)argv;
  int *index = malloc(N * sizeof *index);
  double *from = malloc(N * sizeof *from);
  for (int i = 0; i < N; ++i) {
    index[i] = (int)((i * 1237L + 11) % N);
    from[i] = i * 0.25;
  }
  heapArrays(index, from);
  staticArrays(index, from);
  stackArrays(index, from, N - 1 + argc);
  conditions(index, from);
  rows();
  ownHolder(index, from);
  free(index);
  free(from);
  return 0;
}
