// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the hand-written forms of examples/xmp share: blocks as XcalableMP makes them, and the
/// exchange of borders of a block of three dimensions.
#pragma once

#include "../parallel.h"

/// Block `part` of `parts` of [0, n): all but the last ones have the same length.
static inline Block evenBlock(int part, int parts, long n) {
  const long length = (n + parts - 1) / parts;
  const Block block = {part * length < n ? part * length : n,
                       (part + 1) * length < n ? (part + 1) * length : n};
  return block;
}

static inline long longer(long a, long b) { return a > b ? a : b; }

static inline long shorter(long a, long b) { return a < b ? a : b; }

/// One border of a block each way along one dimension, and where it comes from.
typedef struct {
  int before, after; // Ranks, or MPI_PROC_NULL.
  long long bytes;
  MPI_Datatype first, last, lower, upper; // Sent: own borders. Received: the shadow.
} Border;

/// Of doubles, `own[d]` of them in dimension d with a shadow of `width[d]` on both sides, and the
/// ranks next to them there. Borders along earlier dimensions are exchanged before, so corners
/// travel in two or three steps; those outside of the whole array do not.
static inline Border borderAlong(int d, const int own[3], const int width[3], const int before[3],
                                 const int after[3]) {
  int sizes[3], part[3], start[3];
  Border border = {before[d], after[d], sizeof(double)};
  for (int e = 0; e < 3; ++e) {
    const int below = e < d && before[e] != MPI_PROC_NULL ? width[e] : 0;
    const int above = e < d && after[e] != MPI_PROC_NULL ? width[e] : 0;
    sizes[e] = own[e] + 2 * width[e];
    part[e] = e == d ? width[e] : below + own[e] + above;
    start[e] = width[e] - below;
    border.bytes *= part[e];
  }
  MPI_Datatype *const types[4] = {&border.lower, &border.first, &border.last, &border.upper};
  const int starts[4] = {0, width[d], own[d], own[d] + width[d]};
  for (int t = 0; t < 4; ++t) {
    start[d] = starts[t];
    MPI_Type_create_subarray(3, sizes, part, start, MPI_ORDER_C, MPI_DOUBLE, types[t]);
    MPI_Type_commit(types[t]);
  }
  return border;
}

static inline void exchangeBorder(const Border *border, double *data) {
  MPI_Request requests[4];
  MPI_Irecv(data, 1, border->lower, border->before, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(data, 1, border->upper, border->after, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(data, 1, border->last, border->after, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(data, 1, border->first, border->before, 1, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  const int received = (border->before != MPI_PROC_NULL) + (border->after != MPI_PROC_NULL);
  countedBytes += received * border->bytes;
  countedMessages += received;
}
