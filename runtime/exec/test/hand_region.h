/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * Regions written by hand, as the compiler would emit them, for programs that test the runtime.
 */
#pragma once

#include "abi/abi.h"

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Variables of the program, between the pads of crt_begin and crt_end. */
#define USER_DATA __attribute__((section("tutti_data")))
#define USER_BSS __attribute__((section(".llvm.linkonce.b.tutti")))

typedef struct {
  int32_t reserved_1;
  int32_t flags;
  int32_t reserved_2;
  int32_t reserved_3;
  const char *source;
} Location;

static Location kLoop = {0, 0x202, 0, 0, ";unknown;unknown;0;0;;"};

int32_t __kmpc_global_thread_num(void *location);
void __kmpc_for_static_fini(void *location, int32_t gtid);

typedef void (*Iterations)(const uint64_t *captures, const tutti_chunk *chunk, int64_t first,
                           int64_t last, void *context);

/* What `run` does inside its parallel construct: this thread's share of the chunk. */
static inline void forShare(const uint64_t *captures, const tutti_chunk *chunk, Iterations body,
                            void *context) {
  const int32_t gtid = __kmpc_global_thread_num(&kLoop);
  int32_t last = 0;
  int64_t lower = 0;
  int64_t upper = chunk->total - 1;
  int64_t stride = 1;
  tutti_static_init_8(chunk, &kLoop, gtid, 34, &last, &lower, &upper, &stride, 1, 1);
  if (upper > chunk->total - 1) {
    upper = chunk->total - 1;
  }
  if (lower <= upper) {
    body(captures, chunk, lower, upper, context);
  }
  __kmpc_for_static_fini(&kLoop, gtid);
}

static inline void runLoop(const uint64_t *captures, const tutti_chunk *chunk, Iterations body) {
#pragma omp parallel
  forShare(captures, chunk, body, NULL);
}

/* What `home` does: the whole loop on the addresses of the user. */
static inline void homeLoop(const uint64_t *captures, int64_t total, Iterations body) {
  const tutti_chunk whole = {0, 0, total, total, NULL, NULL};
  runLoop(captures, &whole, body);
}

/* An array of the window as `run` sees it. */
#define VIEW(type, capture, chunk) ((type *)(uintptr_t)((capture) + (uint64_t)(chunk)->delta))

/* Puts a descriptor where the linker collects them. */
#define USER_REGION(name, ident, nCaptures, nValues, moreFlags)                                    \
  USER_DEVICE_REGION(name, ident, nCaptures, nValues, moreFlags, NULL)

#define USER_DEVICE_REGION(name, ident, nCaptures, nValues, moreFlags, deviceCode)                 \
  static const tutti_region name = {TUTTI_ABI_VERSION,                                             \
                                    TUTTI_REGION_DISTRIBUTABLE | TUTTI_REGION_LOOP | (moreFlags),  \
                                    ident,                                                         \
                                    #name ".c:1:1",                                                \
                                    #name,                                                         \
                                    NULL,                                                          \
                                    nCaptures,                                                     \
                                    nValues,                                                       \
                                    name##Home,                                                    \
                                    name##Run,                                                     \
                                    name##Gather,                                                  \
                                    name##Trip,                                                    \
                                    name##Accesses,                                                \
                                    NULL,                                                          \
                                    deviceCode,                                                    \
                                    NULL,                                                          \
                                    NULL};                                                         \
  __attribute__((section("tutti_regions"), used)) static const tutti_region *const name##Entry =   \
      &name

static inline void noValues(const uint64_t *captures, uint64_t *values, tutti_gather *context) {
  (void)captures;
  (void)values;
  (void)context;
}

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

#ifdef __cplusplus
}
#endif
