/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * The loop hooks: whatever the schedule, the threads together run every iteration of a chunk once,
 * none outside it, and exactly one thread is told that it has the last iteration of the loop if the
 * chunk has it.
 */
#include "runtime/exec/test/hand_region.h"

#include <string.h>

enum { kMost = 2000 };

static int runs[kMost];
static int lasts;

/* As Clang emits a loop with a static schedule, with the outer loop of a chunked one. */
#define STATIC_LOOP(suffix, T, S)                                                                  \
  static void staticLoop_##suffix(const tutti_chunk *chunk, int32_t schedule, int64_t size) {      \
    const int32_t gtid = __kmpc_global_thread_num(&kLoop);                                         \
    const T end = (T)(chunk->total - 1);                                                           \
    int32_t last = 0;                                                                              \
    T lower = 0;                                                                                   \
    T upper = end;                                                                                 \
    S stride = 1;                                                                                  \
    tutti_static_init_##suffix(chunk, &kLoop, gtid, schedule, &last, &lower, &upper, &stride, 1,   \
                               (S)size);                                                           \
    upper = upper > end ? end : upper;                                                             \
    while (lower <= upper) {                                                                       \
      for (T i = lower; i <= upper; ++i) {                                                         \
        __atomic_add_fetch(&runs[i], 1, __ATOMIC_RELAXED);                                         \
      }                                                                                            \
      if (schedule == 34) {                                                                        \
        break;                                                                                     \
      }                                                                                            \
      lower += (T)stride;                                                                          \
      upper += (T)stride;                                                                          \
      upper = upper > end ? end : upper;                                                           \
    }                                                                                              \
    __kmpc_for_static_fini(&kLoop, gtid);                                                          \
    __atomic_add_fetch(&lasts, last != 0, __ATOMIC_RELAXED);                                       \
  }                                                                                                \
                                                                                                   \
  static void dispatchLoop_##suffix(const tutti_chunk *chunk, int32_t schedule, int64_t size) {    \
    const int32_t gtid = __kmpc_global_thread_num(&kLoop);                                         \
    int32_t last = 0;                                                                              \
    T lower = 0;                                                                                   \
    T upper = 0;                                                                                   \
    S stride = 1;                                                                                  \
    int32_t hasLast = 0;                                                                           \
    tutti_dispatch_init_##suffix(chunk, &kLoop, gtid, schedule, 0, (T)(chunk->total - 1), 1,       \
                                 (S)size);                                                         \
    while (tutti_dispatch_next_##suffix(chunk, &kLoop, gtid, &last, &lower, &upper, &stride)) {    \
      for (T i = lower; i <= upper; ++i) {                                                         \
        __atomic_add_fetch(&runs[i], 1, __ATOMIC_RELAXED);                                         \
      }                                                                                            \
      hasLast |= last;                                                                             \
    }                                                                                              \
    __atomic_add_fetch(&lasts, hasLast != 0, __ATOMIC_RELAXED);                                    \
  }

STATIC_LOOP(4, int32_t, int32_t)
STATIC_LOOP(4u, uint32_t, int32_t)
STATIC_LOOP(8, int64_t, int64_t)
STATIC_LOOP(8u, uint64_t, int64_t)

typedef void (*Loop)(const tutti_chunk *chunk, int32_t schedule, int64_t size);

static void check(Loop loop, int32_t schedule, int64_t size, int64_t lower, int64_t upper,
                  int64_t total) {
  const tutti_chunk chunk = {0, lower, upper, total, NULL, NULL};
  memset(runs, 0, sizeof runs);
  lasts = 0;
#pragma omp parallel num_threads(3)
  loop(&chunk, schedule, size);
  for (int64_t i = 0; i < kMost; ++i) {
    if (runs[i] != (lower <= i && i < upper)) {
      fprintf(stderr, "schedule %d, [%ld, %ld) of %ld: iteration %ld ran %d times\n", schedule,
              (long)lower, (long)upper, (long)total, (long)i, runs[i]);
      exit(1);
    }
  }
  CHECK(lasts == (upper == total));
}

int main(void) {
  const Loop statics[] = {staticLoop_4, staticLoop_4u, staticLoop_8, staticLoop_8u};
  const Loop dispatches[] = {dispatchLoop_4, dispatchLoop_4u, dispatchLoop_8, dispatchLoop_8u};
  const int64_t chunks[][3] = {{0, 1000, 1000},  {0, 500, 1000}, {500, 1000, 1000},
                               {333, 666, 1000}, {7, 8, 1000},   {999, 1000, 1000},
                               {0, 1, 1000},     {5, 7, 9},      {0, 2, 2}};
  for (size_t c = 0; c < sizeof chunks / sizeof *chunks; ++c) {
    for (int t = 0; t < 4; ++t) {
      for (int64_t size = 1; size < 600; size = size * 3 + 1) {
        check(statics[t], 33, size, chunks[c][0], chunks[c][1], chunks[c][2]);
        for (int32_t schedule = 35; schedule <= 36; ++schedule) { /* Dynamic, guided. */
          check(dispatches[t], schedule, size, chunks[c][0], chunks[c][1], chunks[c][2]);
        }
      }
      check(statics[t], 34, 1, chunks[c][0], chunks[c][1], chunks[c][2]);
    }
  }
  puts("ok");
  return 0;
}
