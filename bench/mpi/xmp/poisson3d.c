// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// examples/xmp/poisson3d with MPI by hand.
#include <math.h>

#include "halo.h"

#ifndef N
#define N 40
#define STEPS 30
#endif

int main(int argc, char **argv) {
  start(&argc, &argv);
  const int parts[3] = {ranks / (ranks % 2 == 0 ? 2 : 1) / (ranks % 3 == 0 ? 3 : 1),
                        ranks % 2 == 0 ? 2 : 1, ranks % 3 == 0 ? 3 : 1};
  const int step[3] = {parts[1] * parts[2], parts[2], 1};
  const int width[3] = {1, 1, 1};
  int own[3];
  long lower[3], first[3], last[3];
  for (int d = 0; d < 3; ++d) {
    const Block block = evenBlock(rank / step[d] % parts[d], parts[d], N);
    own[d] = (int)(block.upper - block.lower);
    lower[d] = block.lower;
    first[d] = longer(1 - block.lower, 0);
    last[d] = shorter(N - 1 - block.lower, own[d]);
  }
  int before[3], after[3];
  for (int d = 0; d < 3; ++d) {
    const int part = rank / step[d] % parts[d];
    before[d] = part > 0 ? rank - step[d] : MPI_PROC_NULL;
    after[d] = part + 1 < parts[d] ? rank + step[d] : MPI_PROC_NULL;
  }
  Border borders[3];
  for (int d = 0; d < 3; ++d) {
    borders[d] = borderAlong(d, own, width, before, after);
  }
  const long row = own[2] + 2, plane = row * (own[1] + 2);
  const size_t all = (size_t)plane * (own[0] + 2);
  double *const data = calloc(all, sizeof *data);
  double *const restrict u = data + plane + row + 1;
  double *const restrict v = malloc((size_t)own[0] * own[1] * own[2] * sizeof *v);
  double *const restrict f = malloc((size_t)own[0] * own[1] * own[2] * sizeof *f);
#define OWN(a, i, j, k) a[((i) * own[1] + (j)) * own[2] + (k)]
#define U(i, j, k) u[(i) * plane + (j) * row + (k)]

  for (long i = 0; i < own[0]; ++i) {
    for (long j = 0; j < own[1]; ++j) {
      for (long k = 0; k < own[2]; ++k) {
        OWN(v, i, j, k) = 0;
        OWN(f, i, j, k) = sin(0.2 * (double)(i + lower[0])) * cos(0.3 * (double)(j + lower[1])) +
                          0.01 * (double)(k + lower[2]);
      }
    }
  }
  for (int s = 0; s < STEPS; ++s) {
    for (int d = 0; d < 3; ++d) {
      exchangeBorder(&borders[d], data);
    }
    for (long i = first[0]; i < last[0]; ++i) {
      for (long j = first[1]; j < last[1]; ++j) {
        for (long k = first[2]; k < last[2]; ++k) {
          const double faces = U(i - 1, j, k) + U(i + 1, j, k) + U(i, j - 1, k) + U(i, j + 1, k) +
                               U(i, j, k - 1) + U(i, j, k + 1);
          const double edges = U(i - 1, j - 1, k) + U(i - 1, j + 1, k) + U(i + 1, j - 1, k) +
                               U(i + 1, j + 1, k) + U(i - 1, j, k - 1) + U(i - 1, j, k + 1) +
                               U(i + 1, j, k - 1) + U(i + 1, j, k + 1) + U(i, j - 1, k - 1) +
                               U(i, j - 1, k + 1) + U(i, j + 1, k - 1) + U(i, j + 1, k + 1);
          OWN(v, i, j, k) = (2 * faces + edges + 6 * OWN(f, i, j, k)) / 24;
        }
      }
    }
    for (long i = first[0]; i < last[0]; ++i) {
      for (long j = first[1]; j < last[1]; ++j) {
        for (long k = first[2]; k < last[2]; ++k) {
          U(i, j, k) = OWN(v, i, j, k);
        }
      }
    }
  }
  double sum = 0;
  for (long i = 0; i < own[0]; ++i) {
    for (long j = 0; j < own[1]; ++j) {
      for (long k = 0; k < own[2]; ++k) {
        sum += U(i, j, k) * (double)(1 + i + lower[0] + 2 * (j + lower[1]) + 3 * (k + lower[2]));
      }
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("sum %.10g\n", sum);
  }
  finish();
  return 0;
}
