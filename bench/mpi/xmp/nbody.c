// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// examples/xmp/nbody with MPI by hand.
#include <math.h>

#include "halo.h"

#ifndef N
#define N 600
#define STEPS 5
#endif

static double x[N], y[N], z[N], u[N], v[N], w[N], mass[N];

static void gather(double *data) {
  int counts[2 * ranks];
  for (int r = 0; r < ranks; ++r) {
    const Block block = evenBlock(r, ranks, N);
    counts[r] = (int)(block.upper - block.lower);
    counts[ranks + r] = (int)block.lower;
  }
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, counts, counts + ranks, MPI_DOUBLE,
                 MPI_COMM_WORLD);
  countedBytes += (N - counts[rank]) * 8LL;
  countedMessages += ranks - 1;
}

int main(int argc, char **argv) {
  start(&argc, &argv);
  const Block own = evenBlock(rank, ranks, N);
  const double dt = 0.01;
  for (long i = own.lower; i < own.upper; ++i) {
    x[i] = cos(0.7 * (double)i) * (1 + 0.01 * (double)i);
    y[i] = sin(0.7 * (double)i) * (1 + 0.01 * (double)i);
    z[i] = 0.1 * (double)(i % 17);
    u[i] = v[i] = w[i] = 0;
    mass[i] = 1.0 / (double)(1 + i % 3);
  }
  gather(mass);
  for (int step = 0; step < STEPS; ++step) {
    gather(x);
    gather(y);
    gather(z);
    for (long i = own.lower; i < own.upper; ++i) {
      double ax = 0, ay = 0, az = 0;
      for (int j = 0; j < N; ++j) {
        const double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
        const double square = dx * dx + dy * dy + dz * dz + 0.01;
        const double pull = mass[j] / (square * sqrt(square));
        ax += pull * dx;
        ay += pull * dy;
        az += pull * dz;
      }
      u[i] += dt * ax;
      v[i] += dt * ay;
      w[i] += dt * az;
    }
    for (long i = own.lower; i < own.upper; ++i) {
      x[i] += dt * u[i];
      y[i] += dt * v[i];
      z[i] += dt * w[i];
    }
  }
  double energy = 0;
  for (long i = own.lower; i < own.upper; ++i) {
    energy += 0.5 * mass[i] * (u[i] * u[i] + v[i] * v[i] + w[i] * w[i]);
  }
  MPI_Allreduce(MPI_IN_PLACE, &energy, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("energy %.10g\n", energy);
  }
  finish();
  return 0;
}
