// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops whose launches were never seen before: each has another bound or another offset. Plain
/// OpenMP; the same loops by hand are in bench/cuda/moving.cu.
///
///   elimination  a launch for each column; the square shrinks
///   paths        shortest paths between all pairs, in place; row and column move
///   triangular   forward substitution with n right sides; the rectangle shrinks
///   blocks       LU by blocks of 32 columns: panels, rows of blocks, and products that shrink
///   growing      a stencil on a region that grows by a row and a column on each side
///   walk         sequential code reads every 997th element of a stencil's result, which lies where
///                it has touched nothing
///   walks        the same twenty times, with the stencil in between
///
/// usage: moving CASE [n]
/// Prints: CASE n launches seconds check
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBlock = 32, kStep = 997, kWalks = 20 };

static long launches;

static double *matrix(long n) {
  double *a = malloc((size_t)n * (size_t)n * sizeof *a);
  if (a == NULL) {
    fprintf(stderr, "moving: no memory for %ld x %ld numbers\n", n, n);
    exit(1);
  }
  return a;
}

/// Numbers that no elimination makes large: the diagonal dominates.
static void fill(double *a, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < n; ++j) {
      a[i * n + j] = (double)((i * 7 + j * 13) % 101) / 101.0 + (i == j ? (double)n : 0.0);
    }
  }
}

static double trace(const double *a, long n) {
  double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < n; ++j) {
      sum += a[i * n + j] * (double)((i + 3 * j) % 7 + 1);
    }
  }
  return sum;
}

static void elimination(double *a, double *unused, long n) {
  (void)unused;
  for (long k = 0; k < n - 1; ++k) {
    ++launches;
#pragma omp parallel for
    for (long i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / a[k * n + k];
      for (long j = k + 1; j < n; ++j) {
        a[i * n + j] -= factor * a[k * n + j];
      }
    }
  }
}

static void paths(double *d, double *unused, long n) {
  (void)unused;
  for (long k = 0; k < n; ++k) {
    ++launches;
#pragma omp parallel for
    for (long i = 0; i < n; ++i) {
      const double first = d[i * n + k];
      for (long j = 0; j < n; ++j) {
        const double sum = first + d[k * n + j];
        d[i * n + j] = sum < d[i * n + j] ? sum : d[i * n + j];
      }
    }
  }
}

static void triangular(double *l, double *x, long n) {
  for (long k = 0; k < n - 1; ++k) {
    ++launches;
#pragma omp parallel for
    for (long i = k + 1; i < n; ++i) {
      const double factor = l[i * n + k] / l[k * n + k];
      for (long j = 0; j < n; ++j) {
        x[i * n + j] -= factor * x[k * n + j];
      }
    }
  }
}

static void blocks(double *a, double *unused, long n) {
  (void)unused;
  for (long b = 0; b < n; b += kBlock) {
    const long e = b + kBlock < n ? b + kBlock : n;
    for (long k = b; k < e && k < n - 1; ++k) {
      ++launches;
#pragma omp parallel for
      for (long i = k + 1; i < n; ++i) {
        const double factor = a[i * n + k] / a[k * n + k];
        a[i * n + k] = factor;
        for (long j = k + 1; j < e; ++j) {
          a[i * n + j] -= factor * a[k * n + j];
        }
      }
    }
    if (e == n) {
      break;
    }
    launches += 2;
#pragma omp parallel for
    for (long j = e; j < n; ++j) {
      for (long k = b; k < e; ++k) {
        for (long i = k + 1; i < e; ++i) {
          a[i * n + j] -= a[i * n + k] * a[k * n + j];
        }
      }
    }
#pragma omp parallel for
    for (long i = e; i < n; ++i) {
      for (long j = e; j < n; ++j) {
        double sum = 0.0;
        for (long k = b; k < e; ++k) {
          sum += a[i * n + k] * a[k * n + j];
        }
        a[i * n + j] -= sum;
      }
    }
  }
}

static void growing(double *from, double *to, long n) {
  const long middle = n / 2;
  for (long s = 1; s < middle - 1; ++s) {
    ++launches;
#pragma omp parallel for
    for (long i = middle - s; i < middle + s; ++i) {
      for (long j = middle - s; j < middle + s; ++j) {
        to[i * n + j] = 0.25 * (from[(i - 1) * n + j] + from[(i + 1) * n + j] +
                                from[i * n + j - 1] + from[i * n + j + 1]);
      }
    }
    double *other = from;
    from = to;
    to = other;
  }
}

static volatile double walked;

/// The stencil is not timed by itself: the walk waits for it.
static void walk(double *from, double *to, long n) {
  ++launches;
#pragma omp parallel for
  for (long i = 1; i < n - 1; ++i) {
    for (long j = 1; j < n - 1; ++j) {
      to[i * n + j] = 0.25 * (from[(i - 1) * n + j] + from[(i + 1) * n + j] + from[i * n + j - 1] +
                              from[i * n + j + 1]);
    }
  }
  double sum = 0.0;
  for (long at = 0; at < n * n; at += kStep) {
    sum += to[at];
  }
  walked = sum;
}

static void walks(double *from, double *to, long n) {
  for (int i = 0; i < kWalks; ++i) {
    walk(from, to, n);
  }
}

typedef struct {
  const char *name;
  void (*run)(double *, double *, long);
} Case;

static const Case kCases[] = {{"elimination", elimination},
                              {"paths", paths},
                              {"triangular", triangular},
                              {"blocks", blocks},
                              {"growing", growing},
                              {"walk", walk},
                              {"walks", walks}};

int main(int argc, char **argv) {
  const Case *chosen = NULL;
  for (size_t i = 0; i < sizeof kCases / sizeof *kCases; ++i) {
    if (argc > 1 && strcmp(argv[1], kCases[i].name) == 0) {
      chosen = &kCases[i];
    }
  }
  const long n = argc > 2 ? atol(argv[2]) : 4096;
  if (chosen == NULL || n < 2 * kBlock) {
    fprintf(stderr, "usage: moving elimination|paths|triangular|blocks|growing|walk|walks [n]\n");
    return 1;
  }
  // Starts devices and compiles kernels, on matrices of its own: the launches below are new.
  const long small = 2 * kBlock;
  double *a = matrix(small), *b = matrix(small);
  fill(a, small);
  fill(b, small);
  chosen->run(a, b, small);
  const double warm = trace(a, small) + trace(b, small);
  free(a);
  free(b);
  a = matrix(n);
  b = matrix(n);
  fill(a, n);
  fill(b, n);
  const double before = trace(a, n) + trace(b, n);
  launches = 0;
  const double begin = omp_get_wtime();
  chosen->run(a, b, n);
  walked += trace(b, 2); // Something that the devices' results are needed for.
  const double seconds = omp_get_wtime() - begin;
  const double check = trace(a, n) + trace(b, n);
  printf("%s %ld %ld %.6f %.9e\n", chosen->name, n, launches, seconds, check);
  free(a);
  free(b);
  return warm == before; // Neither may be left out.
}
