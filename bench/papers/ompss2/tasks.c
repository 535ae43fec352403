// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// tasks PROGRAM MEMORY N BLOCK ROUNDS: the programs as tasks. PROGRAM: axpy or multiply. MEMORY:
/// heap, or managed. Prints the least seconds of five runs; each begins with data that the host has
/// written, and ends when the host has read the result.
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels.h"

static int isManaged;

static double *allocate(long cells) {
  double *memory = NULL;
  if (!isManaged) {
    return malloc(cells * sizeof *memory);
  }
  if (cudaMallocManaged((void **)&memory, cells * sizeof *memory, cudaMemAttachGlobal) != 0) {
    exit(2);
  }
  return memory;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

static void fill(double *cells, long n, double value) {
  for (long i = 0; i < n; ++i) {
    cells[i] = value;
  }
}

static double sumOf(const double *cells, long n) {
  double sum = 0;
  for (long i = 0; i < n; ++i) {
    sum += cells[i];
  }
  return sum;
}

static double axpyTasks(long n, long block, long rounds, double *sum) {
  double *x = allocate(n);
  double *y = allocate(n);
  double least = 1e9;
  for (int run = 0; run < 5; ++run) {
    fill(x, n, 1);
    fill(y, n, 2);
    const double begin = now();
    for (long round = 0; round < rounds; ++round) {
      for (long i = 0; i < n; i += block) {
        axpy(block, 0.5, x + i, y + i);
      }
    }
#pragma oss taskwait
    *sum = sumOf(y, n);
    const double took = now() - begin;
    least = took < least ? took : least;
  }
  return least;
}

static double multiplyTasks(long n, long block, long rounds, double *sum) {
  const long tiles = n / block;
  const long tile = block * block;
  double *a = allocate(n * n);
  double *b = allocate(n * n);
  double *c = allocate(n * n);
  double least = 1e9;
  for (int run = 0; run < 5; ++run) {
    fill(a, n * n, 1);
    fill(b, n * n, 2);
    fill(c, n * n, 0);
    const double begin = now();
    for (long round = 0; round < rounds; ++round) {
      for (long i = 0; i < tiles; ++i) {
        for (long j = 0; j < tiles; ++j) {
          for (long k = 0; k < tiles; ++k) {
            multiply(block, a + (i * tiles + k) * tile, b + (k * tiles + j) * tile,
                     c + (i * tiles + j) * tile);
          }
        }
      }
    }
#pragma oss taskwait
    *sum = sumOf(c, n * n);
    const double took = now() - begin;
    least = took < least ? took : least;
  }
  return least;
}

int main(int count, char **words) {
  if (count != 6) {
    fprintf(stderr, "usage: tasks axpy|multiply heap|managed N BLOCK ROUNDS\n");
    return 1;
  }
  isManaged = strcmp(words[2], "managed") == 0;
  double sum = 0;
  const double seconds = (strcmp(words[1], "axpy") == 0 ? axpyTasks : multiplyTasks)(
      atol(words[3]), atol(words[4]), atol(words[5]), &sum);
  printf("%.6f %.10g\n", seconds, sum);
  return 0;
}
