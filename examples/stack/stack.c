// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Arrays on the stack of main, of fixed and of run-time size: a polynomial fit by least squares.
///
/// usage: stack [samples]
#include <stdio.h>
#include <stdlib.h>

enum { DEGREE = 3, TERMS = DEGREE + 1 };

/// Gaussian elimination without pivoting: the matrix is positive definite.
static void solve(double m[TERMS][TERMS], double b[TERMS]) {
  for (int p = 0; p < TERMS; ++p) {
    for (int i = p + 1; i < TERMS; ++i) {
      const double factor = m[i][p] / m[p][p];
      for (int j = p; j < TERMS; ++j) {
        m[i][j] -= factor * m[p][j];
      }
      b[i] -= factor * b[p];
    }
  }
  for (int p = TERMS - 1; p >= 0; --p) {
    for (int j = p + 1; j < TERMS; ++j) {
      b[p] -= m[p][j] * b[j];
    }
    b[p] /= m[p][p];
  }
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 20000;
  double x[n];
  double y[n];
  double error[n];

#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    x[i] = (double)i / n;
    y[i] = 1.0 - 2.0 * x[i] + 0.5 * x[i] * x[i] * x[i] + 0.01 * (i % 5 - 2);
  }

  double normal[TERMS][TERMS] = {{0.0}};
  double right[TERMS] = {0.0};
#pragma omp parallel for reduction(+ : normal, right)
  for (int i = 0; i < n; ++i) {
    double powers[TERMS] = {1.0};
    for (int t = 1; t < TERMS; ++t) {
      powers[t] = powers[t - 1] * x[i];
    }
    for (int r = 0; r < TERMS; ++r) {
      right[r] += powers[r] * y[i];
      for (int c = 0; c < TERMS; ++c) {
        normal[r][c] += powers[r] * powers[c];
      }
    }
  }
  solve(normal, right);

  double worst = 0.0;
#pragma omp parallel for reduction(max : worst)
  for (int i = 0; i < n; ++i) {
    const double fit = right[0] + x[i] * (right[1] + x[i] * (right[2] + x[i] * right[3]));
    error[i] = fit > y[i] ? fit - y[i] : y[i] - fit;
    worst = error[i] > worst ? error[i] : worst;
  }

  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    sum += error[i];
  }
  printf("stack %d samples\n", n);
  for (int t = 0; t < TERMS; ++t) {
    printf("coefficient %d: %.6f\n", t, right[t]);
  }
  printf("worst error %.6f, mean error %.6f\n", worst, n > 0 ? sum / n : 0.0);
  return 0;
}
