// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bench/luna/heat.fa by hand: each rank has one piece of the rod, and exchanges a cell with each
// neighbour in every step.
#include "../parallel.h"

static void step(const double *before, double *after, long cells) {
  for (long i = 1; i <= cells; ++i) {
    after[i] = before[i] + 0.25 * (before[i - 1] - 2 * before[i] + before[i + 1]);
  }
}

/// Sends a cell to one neighbour and gets one of the other, if there are such.
static void shift(int to, const double *outgoing, int from, double *incoming) {
  MPI_Sendrecv(outgoing, 1, MPI_DOUBLE, to, 0, incoming, 1, MPI_DOUBLE, from, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  if (from != MPI_PROC_NULL) {
    countedBytes += sizeof *incoming;
    ++countedMessages;
  }
}

int main(int argc, char **argv) {
  start(&argc, &argv);
  const int parts = atoi(argv[1]);
  const int size = atoi(argv[2]);
  const int steps = atoi(argv[3]);
  const int all = parts * size;
  // The same cut as a rope of `parts` coordinates.
  const int begin = (int)(((long)rank * parts + ranks - 1) / ranks);
  const int end = (int)(((long)(rank + 1) * parts + ranks - 1) / ranks);
  const long first = (long)begin * size;
  const long cells = (long)(end - begin) * size;
  double *now = calloc((size_t)cells + 2, sizeof(double));
  double *next = calloc((size_t)cells + 2, sizeof(double));
  for (long i = 0; i < cells; ++i) {
    now[i + 1] = (double)((first + i) % 97) * (double)(all - first - i) / all;
  }
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  for (int t = 0; t < steps; ++t) {
    shift(left, &now[1], right, &now[cells + 1]);
    shift(right, &now[cells], left, &now[0]);
    step(now, next, cells);
    double *other = now;
    now = next;
    next = other;
  }
  double sum = 0;
  if (rank > 0) {
    MPI_Recv(&sum, 1, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (long i = 1; i <= cells; ++i) {
    sum += now[i];
  }
  if (rank + 1 < ranks) {
    MPI_Send(&sum, 1, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD);
  } else {
    printf("sum %.17g\n", sum);
  }
  free(now);
  free(next);
  finish();
  return 0;
}
