/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * A matrix product: one operand goes to every rank, in segments down a tree; and reads somewhere in
 * an allocation (a gather by index).
 *
 * Arguments: order of the matrices.
 */
#include "runtime/exec/test/hand_region.h"

/* Captures: a, b, c, n. */
static void productBody(const uint64_t *captures, const tutti_chunk *chunk, int64_t first,
                        int64_t last, void *context) {
  (void)context;
  const double *a = VIEW(const double, captures[0], chunk);
  const double *b = VIEW(const double, captures[1], chunk);
  double *c = VIEW(double, captures[2], chunk);
  const int64_t n = (int64_t)captures[3];
  for (int64_t i = first; i <= last; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      c[i * n + j] = 0;
    }
    for (int64_t k = 0; k < n; k += 64) { /* A sample of the product is enough. */
      for (int64_t j = 0; j < n; ++j) {
        c[i * n + j] += a[i * n + k] * b[k * n + j];
      }
    }
  }
}

static void productRun(const uint64_t *captures, const tutti_chunk *chunk) {
  runLoop(captures, chunk, productBody);
}

static int64_t productTrip(const uint64_t *captures, const uint64_t *values) {
  (void)values;
  return (int64_t)captures[3];
}

#define productGather noValues

static void productHome(const uint64_t *captures) {
  homeLoop(captures, (int64_t)captures[3], productBody);
}

static void productAccesses(const uint64_t *captures, const uint64_t *values, int64_t lower,
                            int64_t upper, int64_t total, tutti_sink *sink) {
  (void)values;
  (void)total;
  const int64_t n = (int64_t)captures[3];
  const tutti_dim own[2] = {{8 * n, upper - lower}, {8, n}};
  const tutti_dim all[2] = {{8 * n, n}, {8, n}};
  tutti_access(sink, TUTTI_READ, captures[0], captures[0] + (uint64_t)(8 * n * lower), 8, 2, own);
  tutti_access(sink, TUTTI_READ, captures[1], captures[1], 8, 2, all);
  tutti_access(sink, TUTTI_WRITE, captures[2], captures[2] + (uint64_t)(8 * n * lower), 8, 2, own);
}

USER_REGION(product, 0x5401, 4, 0, 0);

/* to[i] = from[index[i]]. Captures: from, index, to, n. */
static void pickBody(const uint64_t *captures, const tutti_chunk *chunk, int64_t first,
                     int64_t last, void *context) {
  (void)context;
  const double *from = VIEW(const double, captures[0], chunk);
  const int64_t *index = VIEW(const int64_t, captures[1], chunk);
  double *to = VIEW(double, captures[2], chunk);
  for (int64_t i = first; i <= last; ++i) {
    to[i] = from[index[i]];
  }
}

static void pickRun(const uint64_t *captures, const tutti_chunk *chunk) {
  runLoop(captures, chunk, pickBody);
}

#define pickTrip productTrip
#define pickGather noValues

static void pickHome(const uint64_t *captures) {
  homeLoop(captures, (int64_t)captures[3], pickBody);
}

static void pickAccesses(const uint64_t *captures, const uint64_t *values, int64_t lower,
                         int64_t upper, int64_t total, tutti_sink *sink) {
  (void)values;
  (void)total;
  const tutti_dim dim = {8, upper - lower};
  tutti_access(sink, TUTTI_READ | TUTTI_AT_MOST | TUTTI_ALLOCATION, captures[0], captures[0], 1, 0,
               NULL);
  tutti_access(sink, TUTTI_READ, captures[1], captures[1] + (uint64_t)(8 * lower), 8, 1, &dim);
  tutti_access(sink, TUTTI_WRITE, captures[2], captures[2] + (uint64_t)(8 * lower), 8, 1, &dim);
}

USER_REGION(pick, 0x5402, 4, 0, 0);

static void testProduct(int64_t n) {
  const size_t bytes = sizeof(double) * (size_t)(n * n);
  double *a = tutti_malloc(bytes);
  double *b = tutti_malloc(bytes);
  double *c = tutti_malloc(bytes);
  for (int64_t i = 0; i < n * n; ++i) {
    a[i] = (double)(i % 7);
    b[i] = (double)(i % 5);
  }
  for (int round = 0; round < 3; ++round) {
    const uint64_t captures[4] = {(uintptr_t)a, (uintptr_t)b, (uintptr_t)c, (uint64_t)n};
    tutti_launch(&product, captures);
    for (int64_t i = 0; i < n; i += 13) {
      for (int64_t j = 0; j < n; j += 11) {
        double sum = 0;
        for (int64_t k = 0; k < n; k += 64) {
          sum += a[i * n + k] * b[k * n + j];
        }
        CHECK(c[i * n + j] == sum);
      }
    }
    double *other = b; /* The result, spread over the ranks, is the next operand. */
    b = c;
    c = other;
  }
  free(a);
  free(b);
  free(c);
}

static void testPick(int64_t n) {
  double *from = tutti_malloc(sizeof(double) * (size_t)n);
  double *to = tutti_malloc(sizeof(double) * (size_t)n);
  int64_t *index = tutti_malloc(sizeof(int64_t) * (size_t)n);
  for (int64_t i = 0; i < n; ++i) {
    from[i] = (double)i;
    index[i] = (i * 7919) % n;
  }
  for (int round = 0; round < 4; ++round) {
    const uint64_t captures[4] = {(uintptr_t)from, (uintptr_t)index, (uintptr_t)to, (uint64_t)n};
    tutti_launch(&pick, captures);
    double *other = from;
    from = to;
    to = other;
  }
  for (int64_t i = 0; i < n; ++i) {
    int64_t at = i;
    for (int round = 0; round < 4; ++round) {
      at = index[at];
    }
    CHECK(from[i] == (double)at);
  }
  free(from);
  free(to);
  free(index);
}

int main(int argc, char **argv) {
  testProduct(argc > 1 ? atoll(argv[1]) : 1500); /* 18 MB: several segments. */
  testPick(50000);
  testPick(100);
  puts("ok");
  return 0;
}
