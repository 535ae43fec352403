// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the hand-written baselines share: block distribution and MPI calls that count what they
/// move.
///
/// Bytes are counted where they arrive. A collective over P ranks counts as the point-to-point
/// messages of its plainest good form: P - 1 for a broadcast, a reduction or a gather, P (P - 1)
/// for an all-gather.
#pragma once

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

static int rank, ranks;
static long long countedBytes, countedMessages;

typedef struct {
  long lower, upper;
} Block;

/// The iterations of [0, n) that rank `r` computes.
static inline Block blockOf(int r, long n) {
  const Block block = {n * r / ranks, n * (r + 1) / ranks};
  return block;
}

static inline void start(int *argc, char ***argv) {
  int provided;
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

/// Sends `count` doubles each way between this rank and `other`; nothing if there is no such rank.
static inline void exchange(int other, const double *outgoing, double *incoming, int count) {
  if (other < 0 || other >= ranks) {
    return;
  }
  MPI_Sendrecv(outgoing, count, MPI_DOUBLE, other, 0, incoming, count, MPI_DOUBLE, other, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  countedBytes += (long long)count * 8;
  ++countedMessages;
}

static inline double sumToZero(double value) {
  double sum = 0.0;
  MPI_Reduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank != 0) {
    countedBytes += 8;
    ++countedMessages;
  }
  return sum;
}

static inline void blockShape(long items, int width, int *counts, int *starts) {
  for (int r = 0; r < ranks; ++r) {
    const Block block = blockOf(r, items);
    counts[r] = (int)(block.upper - block.lower) * width;
    starts[r] = (int)block.lower * width;
  }
}

/// Every rank has its block of `items` items of `width` doubles; afterwards all have all.
static inline void allGather(double *data, long items, int width) {
  int *counts = malloc(2 * (size_t)ranks * sizeof *counts);
  blockShape(items, width, counts, counts + ranks);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, counts, counts + ranks, MPI_DOUBLE,
                 MPI_COMM_WORLD);
  countedBytes += (items * width - counts[rank]) * 8LL;
  countedMessages += ranks - 1;
  free(counts);
}

/// As allGather, to rank 0 only.
static inline void gatherToZero(double *data, long items, int width) {
  int *counts = malloc(2 * (size_t)ranks * sizeof *counts);
  blockShape(items, width, counts, counts + ranks);
  if (rank == 0) {
    MPI_Gatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, counts, counts + ranks, MPI_DOUBLE, 0,
                MPI_COMM_WORLD);
    countedBytes += (items * width - counts[0]) * 8LL;
    countedMessages += ranks - 1;
  } else {
    MPI_Gatherv(data + counts[ranks + rank], counts[rank], MPI_DOUBLE, NULL, NULL, NULL, MPI_DOUBLE,
                0, MPI_COMM_WORLD);
  }
  free(counts);
}

static inline void broadcast(double *data, long count) {
  MPI_Bcast(data, (int)count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank != 0) {
    countedBytes += count * 8LL;
    ++countedMessages;
  }
}

static inline void finish(void) {
  long long mine[2] = {countedBytes, countedMessages};
  long long all[2];
  MPI_Reduce(mine, all, 2, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    fprintf(stderr, "mpi-stats: {\"bytes\":%lld,\"messages\":%lld}\n", all[0], all[1]);
  }
  MPI_Finalize();
}
