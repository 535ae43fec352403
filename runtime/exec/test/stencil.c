/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * A five-point stencil between two arrays, with a check of the whole result. In steady state a
 * launch moves two rows per pair of neighbours, changes no protection, and nothing faults.
 *
 * Arguments: rows, columns, launches.
 */
#include "runtime/exec/test/hand_region.h"

/* Captures: from, to, rows, columns. Iteration i is row i + 1. */
static void rows(const uint64_t *captures, const tutti_chunk *chunk, int64_t first, int64_t last,
                 void *context) {
  (void)context;
  const double *from = VIEW(const double, captures[0], chunk);
  double *to = VIEW(double, captures[1], chunk);
  const int64_t m = (int64_t)captures[3];
  for (int64_t i = first + 1; i <= last + 1; ++i) {
    for (int64_t j = 1; j < m - 1; ++j) {
      to[i * m + j] = 0.25 * (from[(i - 1) * m + j] + from[(i + 1) * m + j] + from[i * m + j - 1] +
                              from[i * m + j + 1]);
    }
  }
}

static void stencilRun(const uint64_t *captures, const tutti_chunk *chunk) {
  runLoop(captures, chunk, rows);
}

static int64_t stencilTrip(const uint64_t *captures, const uint64_t *values) {
  (void)values;
  return (int64_t)captures[2] - 2;
}

static void stencilHome(const uint64_t *captures) {
  homeLoop(captures, stencilTrip(captures, NULL), rows);
}

#define stencilGather noValues

static void stencilAccesses(const uint64_t *captures, const uint64_t *values, int64_t lower,
                            int64_t upper, int64_t total, tutti_sink *sink) {
  (void)values;
  (void)total;
  const int64_t m = (int64_t)captures[3];
  const tutti_dim dims[2] = {{8 * m, upper - lower}, {8, m - 2}};
  const int64_t offsets[4] = {-m, m, -1, 1};
  const uint64_t inner = (uint64_t)(8 * ((lower + 1) * m + 1));
  for (int k = 0; k < 4; ++k) {
    tutti_access(sink, TUTTI_READ, captures[0], captures[0] + inner + (uint64_t)(8 * offsets[k]), 8,
                 2, dims);
  }
  tutti_access(sink, TUTTI_WRITE, captures[1], captures[1] + inner, 8, 2, dims);
}

USER_REGION(stencil, 0x5101, 4, 0, 0);

static void initialise(double *a, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n * m; ++i) {
    a[i] = (double)(i % 17) + (i < m ? 100.0 : 0.0);
  }
}

static void step(const double *from, double *to, int64_t n, int64_t m) {
  for (int64_t i = 1; i < n - 1; ++i) {
    for (int64_t j = 1; j < m - 1; ++j) {
      to[i * m + j] = 0.25 * (from[(i - 1) * m + j] + from[(i + 1) * m + j] + from[i * m + j - 1] +
                              from[i * m + j + 1]);
    }
  }
}

int main(int argc, char **argv) {
  const int64_t n = argc > 1 ? atoll(argv[1]) : 514;
  const int64_t m = argc > 2 ? atoll(argv[2]) : 512;
  const int launches = argc > 3 ? atoi(argv[3]) : 100;
  const size_t bytes = sizeof(double) * (size_t)(n * m);
  double *a = tutti_malloc(bytes);
  double *b = tutti_malloc(bytes);
  double *c = malloc(bytes);
  double *d = malloc(bytes);
  initialise(a, n, m);
  initialise(b, n, m);
  initialise(c, n, m);
  initialise(d, n, m);
  double *from = a;
  double *to = b;
  double *expectedFrom = c;
  double *expectedTo = d;
  const double begin = omp_get_wtime();
  for (int k = 0; k < launches; ++k) {
    const uint64_t captures[4] = {(uintptr_t)from, (uintptr_t)to, (uint64_t)n, (uint64_t)m};
    tutti_launch(&stencil, captures);
    double *other = from;
    from = to;
    to = other;
  }
  const double seconds = omp_get_wtime() - begin;
  for (int k = 0; k < launches; ++k) {
    step(expectedFrom, expectedTo, n, m);
    double *other = expectedFrom;
    expectedFrom = expectedTo;
    expectedTo = other;
  }
  for (int64_t i = 0; i < n * m; ++i) {
    if (from[i] != expectedFrom[i]) {
      fprintf(stderr, "row %ld column %ld: %g, not %g\n", (long)(i / m), (long)(i % m), from[i],
              expectedFrom[i]);
      return 1;
    }
  }
  free(a);
  free(b);
  printf("ok, %g us per launch\n", 1e6 * seconds / launches);
  return 0;
}
