/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * Sequential code between launches: reads and writes of arrays on the heap, on main's stack and
 * among the variables of the program; scalars that a loop reads and writes; files and pipes into
 * and out of distributed arrays; allocation, growth and release.
 */
#include "runtime/exec/test/hand_region.h"

#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { kGlobal = 100000, kStack = 200000 };

USER_BSS double globalArray[kGlobal];
USER_DATA int64_t globalCount = kGlobal;
USER_DATA double globalFactor = 2.0;
USER_BSS double lastValue;

/* a[i] = a[i] * factor + i for i in [0, *count); lastValue = a[last]. Captures: a, &count, &factor,
 * &lastValue. Values: count, factor. */
static void scaleBody(const uint64_t *captures, const tutti_chunk *chunk, int64_t first,
                      int64_t last, void *context) {
  (void)context;
  double *a = VIEW(double, captures[0], chunk);
  const double factor = *VIEW(const double, captures[2], chunk);
  for (int64_t i = first; i <= last; ++i) {
    a[i] = a[i] * factor + (double)i;
  }
  if (last == chunk->total - 1) {
    *VIEW(double, captures[3], chunk) = a[last];
  }
}

static void scaleRun(const uint64_t *captures, const tutti_chunk *chunk) {
  runLoop(captures, chunk, scaleBody);
}

static void scaleGather(const uint64_t *captures, uint64_t *values, tutti_gather *context) {
  values[0] = tutti_block(context, captures[1], 8);
  values[1] = tutti_block(context, captures[2], 8);
}

static int64_t scaleTrip(const uint64_t *captures, const uint64_t *values) {
  (void)captures;
  return (int64_t)values[0];
}

static void scaleHome(const uint64_t *captures) {
  homeLoop(captures, *(const int64_t *)(uintptr_t)captures[1], scaleBody);
}

static void scaleAccesses(const uint64_t *captures, const uint64_t *values, int64_t lower,
                          int64_t upper, int64_t total, tutti_sink *sink) {
  (void)values;
  const tutti_dim dim = {8, upper - lower};
  const uint64_t begin = captures[0] + (uint64_t)(8 * lower);
  tutti_access(sink, TUTTI_READ, captures[0], begin, 8, 1, &dim);
  tutti_access(sink, TUTTI_WRITE, captures[0], begin, 8, 1, &dim);
  const tutti_dim last = {0, upper == total};
  tutti_access(sink, TUTTI_WRITE, captures[3], captures[3], 8, 1, &last);
}

USER_REGION(scale, 0x5201, 4, 2, 0);

static void expectScaled(double *expected, int64_t n, double factor) {
  for (int64_t i = 0; i < n; ++i) {
    expected[i] = expected[i] * factor + (double)i;
  }
}

static void launchScale(double *a, int64_t *count, double *factor, double *last) {
  const uint64_t captures[4] = {(uintptr_t)a, (uintptr_t)count, (uintptr_t)factor, (uintptr_t)last};
  tutti_launch(&scale, captures);
}

static void expectEqual(const double *a, const double *expected, int64_t n, const char *what) {
  for (int64_t i = 0; i < n; ++i) {
    if (a[i] != expected[i]) {
      fprintf(stderr, "%s: element %ld is %g, not %g\n", what, (long)i, a[i], expected[i]);
      exit(1);
    }
  }
}

static void testArray(double *a, int64_t n, const char *what) {
  double *expected = malloc(sizeof(double) * (size_t)n);
  int64_t count = n;
  double factor = 0.5;
  double last = 0;
  for (int64_t i = 0; i < n; ++i) {
    a[i] = expected[i] = (double)(i % 100);
  }
  for (int round = 0; round < 12; ++round) {
    launchScale(a, &count, &factor, &last);
    expectScaled(expected, n, factor);
    CHECK(last == expected[n - 1]);
    if (round % 3 == 1) {
      expectEqual(a, expected, n, what);
    }
    if (round % 4 == 2) { /* Scattered writes, some next to each other. */
      for (int64_t i = round; i < n; i += 977) {
        a[i] = expected[i] = -(double)i;
      }
      a[0] = expected[0] = 7;
      a[n - 1] = expected[n - 1] = 8;
    }
    factor += 0.25;
  }
  expectEqual(a, expected, n, what);
  free(expected);
}

/* A part of the loop range only: what is outside belongs to nobody else. */
static void testParts(double *a, int64_t n) {
  double *expected = malloc(sizeof(double) * (size_t)n);
  for (int64_t i = 0; i < n; ++i) {
    a[i] = expected[i] = 1;
  }
  double factor = 1.5;
  double last = 0;
  for (int64_t part = 3; part < n / 2; part = part * 5 / 2) {
    int64_t count = part / 3;
    launchScale(a + part, &count, &factor, &last);
    expectScaled(expected + part, count, factor);
    a[part / 2] += 1;
    expected[part / 2] += 1;
  }
  expectEqual(a, expected, n, "parts");
  free(expected);
}

static void testFiles(double *a, int64_t n) {
  double *expected = malloc(sizeof(double) * (size_t)n);
  double *copy = malloc(sizeof(double) * (size_t)n);
  int64_t count = n;
  double factor = 1.25;
  double last = 0;
  for (int64_t i = 0; i < n; ++i) {
    a[i] = expected[i] = (double)i;
  }
  for (int round = 0; round < 3; ++round) {
    launchScale(a, &count, &factor, &last);
    expectScaled(expected, n, factor);
    FILE *file = tmpfile();
    CHECK(file);
    CHECK(fwrite(a, sizeof(double), (size_t)n, file) == (size_t)n);
    rewind(file);
    CHECK(fread(copy, sizeof(double), (size_t)n, file) == (size_t)n);
    expectEqual(copy, expected, n, "fwrite");
    launchScale(a, &count, &factor, &last); /* Absent again; then all of it is read over. */
    rewind(file);
    CHECK(fread(a, sizeof(double), (size_t)n, file) == (size_t)n);
    expectEqual(a, expected, n, "fread");
    launchScale(a, &count, &factor, &last);
    expectScaled(expected, n, factor);
    rewind(file);
    const size_t bytes = sizeof(double) * (size_t)n;
    CHECK(pwrite(fileno(file), a, bytes, 0) == (ssize_t)bytes);
    memset(copy, 0, bytes);
    CHECK(pread(fileno(file), copy, bytes, 0) == (ssize_t)bytes);
    expectEqual(copy, expected, n, "pwrite");
    fclose(file);
  }
  free(expected);
  free(copy);
}

static void testHeap(void) {
  int64_t count = 30000;
  double factor = 1;
  double last = 0;
  for (int round = 0; round < 20; ++round) {
    double *a = tutti_calloc((size_t)count, sizeof(double));
    for (int64_t i = 0; i < count; ++i) {
      CHECK(a[i] == 0);
    }
    launchScale(a, &count, &factor, &last);
    a = realloc(a, sizeof(double) * 2 * (size_t)count);
    CHECK(a && malloc_usable_size(a) >= sizeof(double) * 2 * (size_t)count);
    for (int64_t i = 0; i < count; ++i) {
      CHECK(a[i] == (double)i);
    }
    free(a);
  }
  char *text = tutti_malloc(10);
  strcpy(text, "tutti");
  text = tutti_realloc(text, 100000);
  CHECK(strcmp(text, "tutti") == 0);
  free(text);
  void *aligned = NULL;
  CHECK(tutti_posix_memalign(&aligned, 4096, 100) == 0 && (uintptr_t)aligned % 4096 == 0);
  free(aligned);
  free(malloc(100));
}

static double testStack(void) {
  double local[kStack];
  testArray(local, kStack, "stack");
  return local[kStack / 2];
}

/* Frames over what was a distributed array a moment ago. */
static int64_t deep(int level) {
  volatile char frame[8192];
  memset((void *)frame, level, sizeof frame);
  const int64_t below = level > 0 ? deep(level - 1) : 0;
  for (size_t i = 0; i < sizeof frame; ++i) {
    CHECK(frame[i] == (char)level);
  }
  return below + level;
}

int main(void) {
  double *heap = tutti_malloc(sizeof(double) * 300000);
  testArray(heap, 300000, "heap");
  testParts(heap, 300000);
  testFiles(heap, 300000);
  testArray(globalArray, kGlobal, "globals");
  launchScale(globalArray, &globalCount, &globalFactor, &lastValue);
  CHECK(lastValue == globalArray[kGlobal - 1]);
  for (int round = 0; round < 3; ++round) {
    CHECK(isfinite(testStack()));
    CHECK(deep(100) == 5050);
  }
  testHeap();
  free(heap);
  puts("ok");
  return 0;
}
