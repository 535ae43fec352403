/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Jacobi by tasks over blocks of rows, which go where their blocks are. Arguments: blocks, rows of
   a block, columns, steps. Prints the seconds of the steps, and an element. Without OmpSs-2 it is
   sequential. */
#ifdef _OMPSS_2
#include <nanos6/cluster.h>
#define ALLOCATE(bytes) nanos6_dmalloc(bytes, nanos6_equpart_distribution, 0, NULL)
#else
#define ALLOCATE(bytes) malloc(bytes)
#endif

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: %s BLOCKS ROWS COLUMNS STEPS\n", argv[0]);
    return 2;
  }
  int blocks = atoi(argv[1]), rows = atoi(argv[2]), columns = atoi(argv[3]), steps = atoi(argv[4]);
  long n = (long)blocks * rows;
  double(*a)[columns] = ALLOCATE(sizeof(double[n][columns]));
  double(*b)[columns] = ALLOCATE(sizeof(double[n][columns]));
  for (int k = 0; k < blocks; ++k) {
#pragma oss task out(a[k * rows; rows], b[k * rows; rows])
    for (int i = k * rows; i < (k + 1) * rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        a[i][j] = b[i][j] = i % 10 + j % 7;
      }
    }
  }
#pragma oss taskwait
  double begin = now();
  for (int step = 0; step < steps; ++step) {
    for (int k = 0; k < blocks; ++k) {
      int first = k > 0 ? k * rows : 1, last = k < blocks - 1 ? (k + 1) * rows : (int)n - 1;
#pragma oss task in(a[first - 1; last - first + 2]) inout(b[first; last - first])
      for (int i = first; i < last; ++i) {
        for (int j = 1; j < columns - 1; ++j) {
          b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
        }
      }
    }
    void *other = a;
    a = b;
    b = other;
  }
#pragma oss taskwait
  printf("%.4f s %g\n", now() - begin, a[n / 2][columns / 2]);
}
