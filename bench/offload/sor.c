// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// examples/sor with OpenMP's own directives for devices; see jacobi.c. The points of a colour are
/// counted, so that both loops are one: rows whose first point depends on the row cannot be
/// collapsed.
///
/// usage: sor [n] [iterations]
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "spread.h"

static double relax(int n, int colour, double omega, double *restrict u, const double *restrict f) {
  const size_t points = (size_t)n * n;
  const int half = (n - 1) / 2;
  double largest = 0.0;
#pragma omp SPREAD collapse(2) reduction(max : largest)                                            \
    map(present, alloc : u[0 : points], f[0 : points])
  for (int i = 1; i < n - 1; ++i) {
    for (int k = 0; k < half; ++k) {
      const int j = 1 + (i + colour) % 2 + 2 * k;
      if (j < n - 1) {
        const size_t at = (size_t)i * n + j;
        const double gauss = 0.25 * (u[at - n] + u[at + n] + u[at - 1] + u[at + 1] + f[at]);
        const double change = omega * (gauss - u[at]);
        u[at] += change;
        largest = fmax(largest, fabs(change));
      }
    }
  }
  return largest;
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 300;
  const int iterations = argc > 2 ? atoi(argv[2]) : 60;
  const double pi = 3.14159265358979323846;
  const double h = 1.0 / (n - 1);
  const double omega = 2.0 / (1.0 + sin(pi * h));
  const size_t points = (size_t)n * n;
  double *u = malloc(points * sizeof *u);
  double *f = malloc(points * sizeof *f);
  if (u == NULL || f == NULL || omp_get_num_devices() < 1) {
    fprintf(stderr, "sor: no memory or no device\n");
    return 1;
  }
  double change = 0.0;
  double seconds = 0.0;
  for (int isTimed = 0; isTimed < 2; ++isTimed) { // Once to warm up, from the same numbers.
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        u[(size_t)i * n + j] = 0.0;
        f[(size_t)i * n + j] = h * h * sin(pi * i * h) * sin(pi * j * h);
      }
    }
#pragma omp target data map(tofrom : u[0 : points]) map(to : f[0 : points])
    {
      const double begin = omp_get_wtime();
      for (int k = 0; k < (isTimed ? iterations : 1); ++k) {
        const double red = relax(n, 0, omega, u, f);
        const double black = relax(n, 1, omega, u, f);
        change = fmax(red, black);
      }
      seconds = (omp_get_wtime() - begin) / iterations;
    }
  }
  // Each colour reads u and f and writes half of u; every other word still moves whole lines.
  printf("sor %d %d %.6e %.2f GB/s %.9e\n", n, iterations, seconds,
         6.0 * sizeof(double) * (double)points / seconds * 1e-9, change);
  return 0;
}
