// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Parallel constructs inside of parallel loops and of teams, in up to three levels.
#include <stdio.h>
#include <stdlib.h>

static double sum(const double *a, int m) {
  double s = 0;
#pragma omp parallel for reduction(+ : s) schedule(static, 4)
  for (int j = 0; j < m; ++j) {
    s += a[j];
  }
  return s;
}

static void fill(double *a, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp parallel for num_threads(2)
    for (int j = 0; j < m; ++j) {
      a[i * m + j] = (i * 7 + j) % 11;
    }
  }
}

/// Several loops inside of one iteration, with a table that they share, and one that is not
/// entered.
static void weigh(double *a, int n, int m) {
#pragma omp parallel for schedule(dynamic, 3)
  for (int i = 0; i < n; ++i) {
    double weights[4];
    const int from = i % 3 == 0 ? m : 0;
#pragma omp parallel
    {
#pragma omp for
      for (int j = 0; j < 4; ++j) {
        weights[j] = i + 0.5 * j;
      }
#pragma omp for
      for (int j = 0; j < m; ++j) {
        a[i * m + j] += weights[j % 4];
      }
    }
#pragma omp parallel for schedule(static, 2)
    for (int j = from; j < m; ++j) {
      a[i * m + j] -= 1;
    }
  }
}

static void groups(double *a, double *s, int g, int w) {
#pragma omp target teams distribute map(to : a[0 : g * w]) map(from : s[0 : g])
  for (int i = 0; i < g; ++i) {
    double part[64];
    double r = 0;
#pragma omp parallel for
    for (int j = 0; j < w; ++j) {
      part[j] = a[i * w + j] * 2;
    }
#pragma omp parallel for
    for (int j = 0; j < w; ++j) {
      double q = 0;
#pragma omp parallel for reduction(+ : q)
      for (int k = 0; k < 4; ++k) {
        q += part[j] * k;
      }
      a[i * w + j] = q;
    }
#pragma omp parallel for reduction(+ : r) lastprivate(part)
    for (int j = 0; j < w; ++j) {
      r += a[i * w + j];
      part[0] = j;
    }
    s[i] = r + part[0];
  }
}

int main(void) {
  const int n = 70, m = 64;
  double *a = malloc(sizeof *a * n * m), *s = malloc(sizeof *s * n), all = 0;
  fill(a, n, m);
  for (int round = 0; round < 3; ++round) {
    weigh(a, n, m);
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      s[i] = sum(a + i * m, m);
    }
    for (int i = 0; i < n; ++i) {
      all += s[i] * (i % 5);
    }
    groups(a, s, n, m);
    for (int i = 0; i < n; ++i) {
      all += s[i];
    }
  }
  for (int i = 0; i < n * m; ++i) {
    all += a[i];
  }
  printf("%.6f\n", all);
  free(a);
  free(s);
}
