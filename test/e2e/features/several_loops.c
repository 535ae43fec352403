// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Parallel constructs that hold several worksharing loops: beside values that each thread
/// computes, with lastprivate and reductions, under conditions, with sections; and some that must
/// stay whole.
#include <stdio.h>
#include <stdlib.h>

static double values(int n, double *restrict a, double *restrict b, double f) {
  double last = 0.0;
  double sum = 0.0;
#pragma omp parallel num_threads(3)
  {
    const double scale = f * 2.0;
#pragma omp for
    for (int i = 0; i < n; ++i) {
      a[i] = i * scale;
    }
#pragma omp for schedule(dynamic, 3) lastprivate(last) nowait
    for (int i = 0; i < n; ++i) {
      b[i] = a[n - 1 - i] * scale;
      last = b[i];
    }
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < n; ++i) {
      sum += a[i];
    }
#pragma omp for schedule(static, 4)
    for (int i = 0; i < (n < 100 ? n : 100); ++i) {
      a[i] += b[i];
    }
  }
  return last + sum;
}

static void counters(int n, double *a, double *b, int rows) {
  const int columns = n / rows;
  int i;
  int j;
#pragma omp parallel private(i, j)
  {
#pragma omp for
    for (i = 0; i < rows; ++i) {
      for (j = 0; j < columns; ++j) {
        a[i * columns + j] += j;
      }
    }
#pragma omp for
    for (i = 0; i < rows; ++i) {
      for (j = 0; j < columns; ++j) {
        b[i * columns + j] = a[(i + 1) % rows * columns + j];
      }
    }
#pragma omp for
    for (i = n - 1; i >= 0; --i) {
      a[i] += 1.0;
    }
#pragma omp sections
    {
#pragma omp section
      a[n - 1] = 3.0;
#pragma omp section
      b[n - 1] = 5.0;
    }
  }
}

static void conditions(int n, double *a, double *b, int flag) {
#pragma omp parallel firstprivate(flag)
  {
    flag += 1;
    if (flag & 1) {
#pragma omp for
      for (int i = 0; i < n; ++i) {
        a[i] += flag;
      }
    } else {
#pragma omp for
      for (int i = 0; i < n; ++i) {
        a[i] += 3 * flag;
      }
    }
#pragma omp for collapse(2)
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < n / 2; ++j) {
        b[i * (n / 2) + j] += a[j] * flag;
      }
    }
  }
}

static double reductions(int n, const double *a, long *bins, int count) {
  double parts[4] = {0.0};
  double most = -1.0;
#pragma omp parallel
  {
#pragma omp for reduction(+ : parts) nowait
    for (int i = 0; i < n; ++i) {
      parts[i & 3] += a[i];
    }
#pragma omp for reduction(+ : bins[0 : count]) reduction(max : most)
    for (int i = 0; i < n; ++i) {
      bins[i % count] += i;
      most = a[i] > most ? a[i] : most;
    }
  }
  return parts[0] + 2.0 * parts[1] + 3.0 * parts[2] + 4.0 * parts[3] + most;
}

/// The threads' values depend on what the loops do, or when.
static void whole(int n, double *a, double *b, double *x) {
#pragma omp parallel
  for (int t = 0; t < 3; ++t) {
#pragma omp for
    for (int i = 1; i < n - 1; ++i) {
      a[i] = 0.5 * (b[i - 1] + b[i + 1]);
    }
#pragma omp for
    for (int i = 1; i < n - 1; ++i) {
      b[i] = 0.5 * (a[i - 1] + a[i + 1]);
    }
  }
#pragma omp parallel
  {
    const double old = x[0];
#pragma omp for
    for (int i = 0; i < n; ++i) {
      a[i] += 0.25 * i;
    }
#pragma omp for
    for (int i = 0; i < n; ++i) {
      x[i] = 2.0 * a[i];
    }
#pragma omp for
    for (int i = 0; i < n; ++i) {
      b[i] += old;
    }
  }
#pragma omp parallel
  {
    double own = 0.0;
#pragma omp for
    for (int i = 0; i < n; ++i) {
      own += a[i];
      b[i] += 1.0;
    }
#pragma omp for reduction(+ : x[0 : 2])
    for (int i = 0; i < 2; ++i) {
      x[i] += own > -1.0 ? 1.0 : 0.0;
    }
  }
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 4000;
  const int count = 17;
  double *a = calloc((size_t)n + 2, sizeof *a);
  double *b = calloc((size_t)n + 2, sizeof *b);
  double *x = calloc((size_t)n + 2, sizeof *x);
  long *bins = calloc((size_t)count, sizeof *bins);
  double result = 0.0;
  for (int k = 0; k < 3; ++k) {
    result += values(n, a, b, 0.5 + k);
    if (n > 1) {
      counters(n, a, b, n < 8 ? 1 : 8);
    }
    conditions(n, a, b, k);
    result += reductions(n, a, bins, count);
    whole(n, a, b, x);
  }
  double check = 0.0;
  for (int i = 0; i < n; ++i) {
    check += a[i] * (i % 7) + b[i] + 0.5 * x[i];
  }
  long binned = 0;
  for (int k = 0; k < count; ++k) {
    binned = binned * 3 + bins[k];
  }
  printf("%.9e %.9e %ld\n", result, check, binned);
  free(a);
  free(b);
  free(x);
  free(bins);
  return 0;
}
