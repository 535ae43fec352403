// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Heat in a cube, on global arrays of fixed size: seven-point stencil, two buffers.
///
/// usage: heat3d [steps]
/// -DPOINTS=... when compiling: points per side, 66 without it.
#include <stdio.h>
#include <stdlib.h>

#ifndef POINTS
#define POINTS 66
#endif
enum { N = POINTS };

static double u[2][N][N][N];
static double conductivity[N][N][N];
double total;

static void step(int from, int to) {
#pragma omp parallel for collapse(2)
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
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) {
      for (int k = 0; k < N; ++k) {
        conductivity[i][j][k] = 0.05 + 0.1 * ((i + j + k) % 2);
        u[0][i][j][k] = i == N / 2 && j == N / 2 ? 100.0 : 0.0;
      }
    }
  }
  for (int s = 0; s < steps; ++s) {
    step(s % 2, (s + 1) % 2);
  }

  const int last = steps % 2;
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) {
      for (int k = 0; k < N; ++k) {
        total += u[last][i][j][k] * (1 + (i + j) % 3);
      }
    }
  }
  printf("heat3d %d^3, %d steps\n", N, steps);
  printf("middle %.9e\n", u[last][N / 2][N / 2][N / 2]);
  printf("checksum %.9e\n", total);
  return 0;
}
