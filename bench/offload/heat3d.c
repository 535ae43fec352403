// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// examples/heat3d with OpenMP's own directives for devices; see jacobi.c.
///
/// usage: heat3d [steps]
/// -DPOINTS=... -DNAME=... when compiling: points per side.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "spread.h"

#ifndef POINTS
#define POINTS 66
#define NAME "heat3d"
#endif
enum { N = POINTS };

static double u[2][N][N][N];
static double conductivity[N][N][N];

static void step(int from, int to) {
#pragma omp SPREAD collapse(3) map(present, alloc : u, conductivity)
  for (int i = 1; i < N - 1; ++i) {
    for (int j = 1; j < N - 1; ++j) {
      for (int k = 1; k < N - 1; ++k) {
        const double sum = u[from][i - 1][j][k] + u[from][i + 1][j][k] + u[from][i][j - 1][k] +
                           u[from][i][j + 1][k] + u[from][i][j][k - 1] + u[from][i][j][k + 1];
        u[to][i][j][k] = u[from][i][j][k] + conductivity[i][j][k] * (sum - 6.0 * u[from][i][j][k]);
      }
    }
  }
}

int main(int argc, char **argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 40;
  if (omp_get_num_devices() < 1) {
    fprintf(stderr, "heat3d: no device\n");
    return 1;
  }
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) {
      for (int k = 0; k < N; ++k) {
        conductivity[i][j][k] = 0.05 + 0.1 * ((i + j + k) % 2);
        u[0][i][j][k] = i == N / 2 && j == N / 2 ? 100.0 : 0.0;
      }
    }
  }
  double seconds = 0.0;
#pragma omp target data map(tofrom : u) map(to : conductivity)
  {
    step(0, 1); // Warms up; the loop does it again.
    const double begin = omp_get_wtime();
    for (int s = 0; s < steps; ++s) {
      step(s % 2, (s + 1) % 2);
    }
    seconds = (omp_get_wtime() - begin) / steps;
  }
  double total = 0.0;
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) {
      for (int k = 0; k < N; ++k) {
        total += u[steps % 2][i][j][k] * (1 + (i + j) % 3);
      }
    }
  }
  printf(NAME " %d %d %.6e %.2f GB/s %.9e\n", N, steps, seconds,
         3.0 * sizeof(double) * N * N * N / seconds * 1e-9, total);
  return 0;
}
