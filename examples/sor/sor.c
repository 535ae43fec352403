// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Poisson's equation by red-black successive over-relaxation, in place.
///
/// usage: sor [points per side] [iterations]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/// Relaxes the points of one colour; their neighbours all have the other.
static double relax(int n, int colour, double omega, double *u, const double *f) {
  double largest = 0.0;
#pragma omp parallel for reduction(max : largest)
  for (int i = 1; i < n - 1; ++i) {
    for (int j = 1 + (i + colour) % 2; j < n - 1; j += 2) {
      const size_t at = (size_t)i * n + j;
      const double gauss = 0.25 * (u[at - n] + u[at + n] + u[at - 1] + u[at + 1] + f[at]);
      const double change = omega * (gauss - u[at]);
      u[at] += change;
      if (fabs(change) > largest) {
        largest = fabs(change);
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
  double *u = calloc((size_t)n * n, sizeof *u);
  double *f = malloc((size_t)n * n * sizeof *f);
  if (u == NULL || f == NULL) {
    fprintf(stderr, "sor: no memory for %d x %d points\n", n, n);
    return 1;
  }

#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      f[(size_t)i * n + j] = h * h * sin(pi * i * h) * sin(pi * j * h);
    }
  }
  double change = 0.0;
  for (int k = 0; k < iterations; ++k) {
    const double red = relax(n, 0, omega, u, f);
    const double black = relax(n, 1, omega, u, f);
    change = fmax(red, black);
  }

  double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      sum += u[(size_t)i * n + j];
    }
  }
  printf("sor %d x %d, %d iterations\n", n, n, iterations);
  printf("largest change %.9e\n", change);
  printf("middle %.9e\n", u[(size_t)(n / 2) * n + n / 2]);
  printf("checksum %.9e\n", sum);
  free(u);
  free(f);
  return 0;
}
