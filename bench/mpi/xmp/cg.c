// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// examples/xmp/cg with MPI by hand.
#include <math.h>

#include "halo.h"

#ifndef N
#define N 120
#define STEPS 25
#endif

static int across, down;

/// Rows of `product` that become columns of `q`: each rank takes what it lacks from the ranks of
/// its own column of ranks.
static void turn(const double *product, Block rows, double *q, Block columns) {
  MPI_Request requests[2 * down];
  int started = 0;
  const int column = rank % across;
  for (int r = 0; r < down; ++r) {
    const int other = r * across + column;
    const Block theirs = evenBlock(r, down, N);
    const long lower = longer(theirs.lower, columns.lower);
    const long upper = shorter(theirs.upper, columns.upper);
    if (lower < upper && other != rank) {
      MPI_Irecv(q + lower - columns.lower, (int)(upper - lower), MPI_DOUBLE, other, 0,
                MPI_COMM_WORLD, &requests[started++]);
      countedBytes += (upper - lower) * 8;
      ++countedMessages;
    }
    // All ranks of a column of ranks have the same columns.
    const long from = longer(rows.lower, columns.lower), to = shorter(rows.upper, columns.upper);
    if (from < to && other != rank) {
      MPI_Isend(product + from - rows.lower, (int)(to - from), MPI_DOUBLE, other, 0, MPI_COMM_WORLD,
                &requests[started++]);
    } else {
      for (long i = from; i < to; ++i) {
        q[i - columns.lower] = product[i - rows.lower];
      }
    }
  }
  MPI_Waitall(started, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv) {
  start(&argc, &argv);
  across = ranks % 2 == 0 ? 2 : 1;
  down = ranks / across;
  MPI_Comm row, line;
  MPI_Comm_split(MPI_COMM_WORLD, rank / across, rank, &row);
  MPI_Comm_split(MPI_COMM_WORLD, rank % across, rank, &line);
  const Block rows = evenBlock(rank / across, down, N);
  const Block columns = evenBlock(rank % across, across, N);
  const long height = rows.upper - rows.lower, width = columns.upper - columns.lower;
  double *const restrict a = malloc((size_t)(height * width) * sizeof *a);
  double *const restrict product = malloc((size_t)height * sizeof *product);
  double *const restrict x = malloc((size_t)width * sizeof *x);
  double *const restrict r = malloc((size_t)width * sizeof *r);
  double *const restrict d = malloc((size_t)width * sizeof *d);
  double *const restrict q = malloc((size_t)width * sizeof *q);
  for (long i = 0; i < height; ++i) {
    for (long j = 0; j < width; ++j) {
      const long away = labs(i + rows.lower - j - columns.lower);
      a[i * width + j] = (away == 0 ? 1 + (rows.lower + i) % 500 : 0) + 1.0 / (double)(1 + away);
    }
  }
  double rho = 0, sum = 0;
  for (long j = 0; j < width; ++j) {
    x[j] = 0;
    r[j] = d[j] = (double)(1 + (j + columns.lower) % 7);
    rho += r[j] * r[j];
  }
  // Each row of ranks has the whole vectors.
  MPI_Allreduce(MPI_IN_PLACE, &rho, 1, MPI_DOUBLE, MPI_SUM, row);
  for (int step = 0; step < STEPS; ++step) {
    double curve = 0, next = 0;
    for (long i = 0; i < height; ++i) {
      double partial = 0;
      for (long j = 0; j < width; ++j) {
        partial += a[i * width + j] * d[j];
      }
      product[i] = partial;
    }
    MPI_Allreduce(MPI_IN_PLACE, product, (int)height, MPI_DOUBLE, MPI_SUM, row);
    turn(product, rows, q, columns);
    for (long j = 0; j < width; ++j) {
      curve += d[j] * q[j];
    }
    MPI_Allreduce(MPI_IN_PLACE, &curve, 1, MPI_DOUBLE, MPI_SUM, row);
    const double alpha = rho / curve;
    for (long j = 0; j < width; ++j) {
      x[j] += alpha * d[j];
      r[j] -= alpha * q[j];
      next += r[j] * r[j];
    }
    MPI_Allreduce(MPI_IN_PLACE, &next, 1, MPI_DOUBLE, MPI_SUM, row);
    if (next < 1e-20) {
      break;
    }
    const double beta = next / rho;
    for (long j = 0; j < width; ++j) {
      d[j] = r[j] + beta * d[j];
    }
    rho = next;
  }
  for (long j = 0; j < width; ++j) {
    sum += x[j] * (double)(1 + (j + columns.lower) % 3);
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, row);
  if (rank == 0) {
    printf("sum %.9g\n", sum);
  }
  finish();
  return 0;
}
