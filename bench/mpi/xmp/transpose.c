// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// examples/xmp/transpose with MPI by hand.
#include "halo.h"

#ifndef ROWS
#define ROWS 150
#define COLUMNS 130
#endif
#ifndef TIMES
#define TIMES 1
#endif

int main(int argc, char **argv) {
  start(&argc, &argv);
  const Block own = evenBlock(rank, ranks, ROWS);
  const long height = own.upper - own.lower;
  const long mine = (COLUMNS - rank + ranks - 1) / ranks; // Columns rank, rank + ranks, ...
  long(*const restrict a)[COLUMNS] = malloc((size_t)height * sizeof *a);
  long *const restrict packed = malloc((size_t)(height * COLUMNS + 1) * sizeof *packed);
  long *const restrict arrived = malloc((size_t)(mine * ROWS + 1) * sizeof *arrived);
  long(*const restrict b)[ROWS] = malloc((size_t)mine * sizeof *b);
  for (long i = 0; i < height; ++i) {
    for (long j = 0; j < COLUMNS; ++j) {
      a[i][j] = 1000 * (i + own.lower) + j;
    }
  }
  int shapes[4 * ranks], *const sent = shapes, *const sentAt = sent + ranks,
                                *const taken = sentAt + ranks, *const takenAt = taken + ranks;
  long sum = 0;
  for (int time = 0; time < TIMES; ++time) {
    long at = 0, expected = 0;
    for (int r = 0; r < ranks; ++r) {
      const Block theirs = evenBlock(r, ranks, ROWS);
      sentAt[r] = (int)at;
      for (long i = 0; i < height; ++i) {
        for (long j = r; j < COLUMNS; j += ranks) {
          packed[at++] = a[i][j];
        }
      }
      sent[r] = (int)at - sentAt[r];
      takenAt[r] = (int)expected;
      taken[r] = (int)((theirs.upper - theirs.lower) * mine);
      expected += taken[r];
      if (r != rank && taken[r] > 0) {
        countedBytes += 8LL * taken[r];
        ++countedMessages;
      }
    }
    MPI_Alltoallv(packed, sent, sentAt, MPI_LONG, arrived, taken, takenAt, MPI_LONG,
                  MPI_COMM_WORLD);
    for (long j = 0; j < mine; ++j) {
      for (long i = 0; i < ROWS; ++i) {
        b[j][i] = arrived[i * mine + j]; // Blocks of rows arrive one behind the other.
      }
    }
    for (long j = 0; j < mine; ++j) {
      for (long i = 0; i < ROWS; ++i) {
        sum += b[j][i] * (i + 3 * (j * ranks + rank));
      }
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("sum %ld\n", sum);
  }
  finish();
  return 0;
}
