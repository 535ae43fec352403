// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// examples/xmp/laplace with MPI by hand.
#include <math.h>

#include "halo.h"

#ifndef ROWS
#define ROWS 128
#define COLUMNS 192
#define STEPS 200
#endif

int main(int argc, char **argv) {
  start(&argc, &argv);
  const int across = ranks % 2 == 0 ? 2 : 1, down = ranks / across;
  const int row = rank / across, column = rank % across;
  const Block rows = evenBlock(row, down, ROWS), columns = evenBlock(column, across, COLUMNS);
  const int own[3] = {1, (int)(rows.upper - rows.lower), (int)(columns.upper - columns.lower)};
  const int width[3] = {0, 1, 1};
  const long pitch = own[2] + 2;
  double *const data = calloc((size_t)(own[1] + 2) * pitch, sizeof *data);
  double *const restrict old = data + pitch + 1;
  double *const restrict u = malloc((size_t)(own[1] * own[2] + 1) * sizeof *u);
  const int before[3] = {MPI_PROC_NULL, row > 0 ? rank - across : MPI_PROC_NULL,
                         column > 0 ? rank - 1 : MPI_PROC_NULL};
  const int after[3] = {MPI_PROC_NULL, row + 1 < down ? rank + across : MPI_PROC_NULL,
                        column + 1 < across ? rank + 1 : MPI_PROC_NULL};
  const Border borders[2] = {borderAlong(1, own, width, before, after),
                             borderAlong(2, own, width, before, after)};
  const long firstRow = longer(1 - rows.lower, 0), lastRow = shorter(ROWS - 1 - rows.lower, own[1]);
  const long first = longer(1 - columns.lower, 0);
  const long last = shorter(COLUMNS - 1 - columns.lower, own[2]);

  for (long i = 0; i < own[1]; ++i) {
    for (long j = 0; j < own[2]; ++j) {
      const double value =
          i + rows.lower == 0 ? sin(3.14159265358979 * (double)(j + columns.lower) / COLUMNS) : 0;
      u[i * own[2] + j] = old[i * pitch + j] = value;
    }
  }
  double change = 0, sum = 0;
  for (int step = 0; step < STEPS; ++step) {
    exchangeBorder(&borders[0], data);
    exchangeBorder(&borders[1], data);
    for (long i = firstRow; i < lastRow; ++i) {
      for (long j = first; j < last; ++j) {
        u[i * own[2] + j] = 0.25 * (old[(i - 1) * pitch + j] + old[(i + 1) * pitch + j] +
                                    old[i * pitch + j - 1] + old[i * pitch + j + 1]);
      }
    }
    change = 0;
    for (long i = firstRow; i < lastRow; ++i) {
      for (long j = first; j < last; ++j) {
        change = fmax(change, fabs(u[i * own[2] + j] - old[i * pitch + j]));
        old[i * pitch + j] = u[i * own[2] + j];
      }
    }
    MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  for (long i = 0; i < (long)own[1] * own[2]; ++i) {
    sum += u[i];
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("change %.10f, sum %.10f\n", change, sum);
  }
  finish();
  return 0;
}
