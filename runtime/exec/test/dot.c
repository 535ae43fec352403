/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * Reductions: a sum and a count over ranges of all lengths, among them fewer iterations than ranks,
 * with data that has to be moved first, so that chunks run in pieces; and an array that every rank
 * adds to.
 */
#include "runtime/exec/test/hand_region.h"

#include <string.h>

enum { kBins = 1000 };

/* Captures: x, n, &sum, &count. */
typedef struct {
  double sum;
  int64_t count;
} Partial;

static void dotBody(const uint64_t *captures, const tutti_chunk *chunk, int64_t first, int64_t last,
                    void *context) {
  const double *x = VIEW(const double, captures[0], chunk);
  Partial *partial = context;
  for (int64_t i = first; i <= last; ++i) {
    /* Neighbours too: the borders of a chunk are other ranks' data. */
    partial->sum += x[i] + x[i + 1];
    ++partial->count;
  }
}

static void combine(void *left, void *right) {
  void **to = left;
  void **from = right;
  *(double *)to[0] += *(double *)from[0];
  *(int64_t *)to[1] += *(int64_t *)from[1];
}

static void dotRun(const uint64_t *captures, const tutti_chunk *chunk) {
#pragma omp parallel
  {
    Partial partial = {0, 0};
    forShare(captures, chunk, dotBody, &partial);
    void *list[2] = {&partial.sum, &partial.count};
    const uint64_t sizes[2] = {sizeof partial.sum, sizeof partial.count};
    if (tutti_reduce(chunk, &kLoop, 0, 2, sizes, list, combine) == 1) {
      *VIEW(double, captures[2], chunk) += partial.sum;
      *VIEW(int64_t, captures[3], chunk) += partial.count;
    }
  }
}

static int64_t dotTrip(const uint64_t *captures, const uint64_t *values) {
  (void)values;
  return (int64_t)captures[1];
}

static void dotHome(const uint64_t *captures) {
  const double *x = (const double *)(uintptr_t)captures[0];
  double sum = 0;
  for (int64_t i = 0; i < (int64_t)captures[1]; ++i) {
    sum += x[i] + x[i + 1];
  }
  *(double *)(uintptr_t)captures[2] += sum;
  *(int64_t *)(uintptr_t)captures[3] += (int64_t)captures[1];
}

#define dotGather noValues

static void dotAccesses(const uint64_t *captures, const uint64_t *values, int64_t lower,
                        int64_t upper, int64_t total, tutti_sink *sink) {
  (void)values;
  (void)total;
  const tutti_dim dim = {8, upper - lower + 1};
  tutti_access(sink, TUTTI_READ, captures[0], captures[0] + (uint64_t)(8 * lower), 8, 1, &dim);
}

USER_REGION(dot, 0x5301, 4, 0, TUTTI_REGION_REDUCES);

/* x[i] = i * captures[2]. Captures: x, n, factor. */
static void fillBody(const uint64_t *captures, const tutti_chunk *chunk, int64_t first,
                     int64_t last, void *context) {
  (void)context;
  double *x = VIEW(double, captures[0], chunk);
  for (int64_t i = first; i <= last; ++i) {
    x[i] = (double)(i * (int64_t)captures[2]);
  }
}

static void fillRun(const uint64_t *captures, const tutti_chunk *chunk) {
  runLoop(captures, chunk, fillBody);
}

#define fillTrip dotTrip
#define fillGather noValues

static void fillHome(const uint64_t *captures) {
  homeLoop(captures, (int64_t)captures[1], fillBody);
}

static void fillAccesses(const uint64_t *captures, const uint64_t *values, int64_t lower,
                         int64_t upper, int64_t total, tutti_sink *sink) {
  (void)values;
  (void)total;
  const tutti_dim dim = {8, upper - lower};
  tutti_access(sink, TUTTI_WRITE, captures[0], captures[0] + (uint64_t)(8 * lower), 8, 1, &dim);
}

USER_REGION(fill, 0x5302, 3, 0, 0);

/* bins[i % kBins] += i, with the length of the section in the list. Captures: bins, n. */
static void binsCombine(void *left, void *right) {
  int64_t *to = ((void **)left)[0];
  const int64_t *from = ((void **)right)[0];
  const int64_t length = (int64_t)(uintptr_t)((void **)right)[1];
  for (int64_t i = 0; i < length; ++i) {
    to[i] += from[i];
  }
}

static void binsBody(const uint64_t *captures, const tutti_chunk *chunk, int64_t first,
                     int64_t last, void *context) {
  (void)captures;
  (void)chunk;
  int64_t *bins = context;
  for (int64_t i = first; i <= last; ++i) {
    bins[i % kBins] += i;
  }
}

static void binsRun(const uint64_t *captures, const tutti_chunk *chunk) {
#pragma omp parallel
  {
    int64_t bins[kBins] = {0};
    forShare(captures, chunk, binsBody, bins);
    void *list[2] = {bins, (void *)(uintptr_t)kBins};
    const uint64_t sizes[2] = {sizeof bins, 0};
    if (tutti_reduce(chunk, &kLoop, 0, 2, sizes, list, binsCombine) == 1) {
      int64_t *result = VIEW(int64_t, captures[0], chunk);
      for (int i = 0; i < kBins; ++i) {
        result[i] += bins[i];
      }
    }
  }
}

#define binsTrip dotTrip
#define binsGather noValues

static void binsHome(const uint64_t *captures) {
  int64_t *bins = (int64_t *)(uintptr_t)captures[0];
  for (int64_t i = 0; i < (int64_t)captures[1]; ++i) {
    bins[i % kBins] += i;
  }
}

static void binsAccesses(const uint64_t *captures, const uint64_t *values, int64_t lower,
                         int64_t upper, int64_t total, tutti_sink *sink) {
  (void)captures;
  (void)values;
  (void)lower;
  (void)upper;
  (void)total;
  (void)sink;
}

USER_REGION(bins, 0x5303, 2, 0, TUTTI_REGION_REDUCES);

int main(void) {
  enum { kMost = 100000 };

  double *x = tutti_malloc(sizeof(double) * (kMost + 1));
  for (int64_t n = 1; n <= kMost; n = n < 12 ? n + 1 : n * 3) {
    for (uint64_t factor = 1; factor <= 3; ++factor) {
      for (int64_t i = 0; i <= kMost; ++i) {
        x[i] = 1;
      }
      const uint64_t fillCaptures[3] = {(uintptr_t)x, (uint64_t)n, factor};
      tutti_launch(&fill, fillCaptures);
      double sum = 0.5;
      int64_t count = 3;
      const uint64_t captures[4] = {(uintptr_t)x, (uint64_t)n, (uintptr_t)&sum, (uintptr_t)&count};
      tutti_launch(&dot, captures);
      const double below = (double)factor * (double)n * (double)(n - 1) / 2;
      CHECK(count == 3 + n);
      CHECK(sum == 0.5 + below + below + 1); /* x[n] is 1. */
    }
  }
  int64_t result[kBins];
  memset(result, 0, sizeof result);
  for (int round = 0; round < 5; ++round) {
    const uint64_t captures[2] = {(uintptr_t)result, 12345};
    tutti_launch(&bins, captures);
  }
  int64_t expected[kBins] = {0};
  for (int64_t i = 0; i < 12345; ++i) {
    expected[i % kBins] += 5 * i;
  }
  CHECK(memcmp(result, expected, sizeof result) == 0);
  free(x);
  puts("ok");
  return 0;
}
