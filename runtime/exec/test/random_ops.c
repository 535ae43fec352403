/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * Random launches and random sequential touches of several arrays, followed by a plain copy of
 * each; every read is compared with the copy.
 *
 * Arguments: seed, number of operations.
 */
#include "runtime/exec/test/hand_region.h"

#include <string.h>
#include <unistd.h>

enum { kArrays = 6, kGlobal = 20011, kStack = 30011, kSmall = 40 };

USER_BSS int64_t globalArray[kGlobal];
USER_DATA int64_t smallArray[kSmall] = {1, 2, 3};
USER_BSS int64_t addend;

typedef struct {
  int64_t *window;
  int64_t *copy;
  int64_t count;
} Array;

static Array arrays[kArrays];

static uint64_t state = 1;

static int64_t draw(int64_t below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int64_t)((state >> 33) % (uint64_t)below);
}

/* to[i * toStride + j] = from[i * fromStride + (j * spread)] + *addend * i + old, for j < width.
 * Captures: to, from, iterations, toStride, fromStride, width, spread, &addend, adds.
 * Values: addend. */
enum { kTo, kFrom, kCount, kToStride, kFromStride, kWidth, kSpread, kAddend, kAdds, kCaptures };

static void compute(int64_t *to, const int64_t *from, const uint64_t *c, int64_t add, int64_t first,
                    int64_t last) {
  for (int64_t i = first; i <= last; ++i) {
    for (int64_t j = 0; j < (int64_t)c[kWidth]; ++j) {
      int64_t *target = &to[i * (int64_t)c[kToStride] + j];
      const int64_t old = c[kAdds] ? *target : 0;
      *target = from[i * (int64_t)c[kFromStride] + j * (int64_t)c[kSpread]] + add * i + old;
    }
  }
}

static void moveBody(const uint64_t *captures, const tutti_chunk *chunk, int64_t first,
                     int64_t last, void *context) {
  (void)context;
  compute(VIEW(int64_t, captures[kTo], chunk), VIEW(const int64_t, captures[kFrom], chunk),
          captures, *VIEW(const int64_t, captures[kAddend], chunk), first, last);
}

static void moveRun(const uint64_t *captures, const tutti_chunk *chunk) {
  runLoop(captures, chunk, moveBody);
}

static void moveGather(const uint64_t *captures, uint64_t *values, tutti_gather *context) {
  values[0] = tutti_block(context, captures[kAddend], 8);
}

static int64_t moveTrip(const uint64_t *captures, const uint64_t *values) {
  (void)values;
  return (int64_t)captures[kCount];
}

static void moveHome(const uint64_t *captures) {
  homeLoop(captures, (int64_t)captures[kCount], moveBody);
}

static void moveAccesses(const uint64_t *captures, const uint64_t *values, int64_t lower,
                         int64_t upper, int64_t total, tutti_sink *sink) {
  (void)values;
  (void)total;
  const tutti_dim to[2] = {{8 * (int64_t)captures[kToStride], upper - lower},
                           {8, (int64_t)captures[kWidth]}};
  const tutti_dim from[2] = {{8 * (int64_t)captures[kFromStride], upper - lower},
                             {8 * (int64_t)captures[kSpread], (int64_t)captures[kWidth]}};
  const uint64_t target = captures[kTo] + (uint64_t)lower * 8 * captures[kToStride];
  tutti_access(sink, TUTTI_READ, captures[kFrom],
               captures[kFrom] + (uint64_t)lower * 8 * captures[kFromStride], 8, 2, from);
  tutti_access(sink, TUTTI_WRITE, captures[kTo], target, 8, 2, to);
  if (captures[kAdds]) {
    tutti_access(sink, TUTTI_READ, captures[kTo], target, 8, 2, to);
  }
}

USER_REGION(move, 0x5501, kCaptures, 1, 0);

/* The same loop, but it stays on rank 0, where its threads fault. */
static const tutti_region stay = {TUTTI_ABI_VERSION,
                                  TUTTI_REGION_LOOP,
                                  0x5503,
                                  "stay.c:1:1",
                                  "stay",
                                  "the test wants it so",
                                  kCaptures,
                                  0,
                                  moveHome,
                                  NULL,
                                  NULL,
                                  NULL,
                                  NULL,
                                  NULL,
                                  NULL,
                                  NULL,
                                  NULL};
__attribute__((section("tutti_regions"), used)) static const tutti_region *const stayEntry = &stay;

/* to[i] = i * factor where i % 3 == 0. Captures: to, count, factor. */
static void someBody(const uint64_t *captures, const tutti_chunk *chunk, int64_t first,
                     int64_t last, void *context) {
  (void)context;
  int64_t *to = VIEW(int64_t, captures[0], chunk);
  for (int64_t i = first; i <= last; ++i) {
    if (i % 3 == 0) {
      to[i] = i * (int64_t)captures[2];
    }
  }
}

static void someRun(const uint64_t *captures, const tutti_chunk *chunk) {
  runLoop(captures, chunk, someBody);
}

#define someGather noValues

static int64_t someTrip(const uint64_t *captures, const uint64_t *values) {
  (void)values;
  return (int64_t)captures[1];
}

static void someHome(const uint64_t *captures) {
  homeLoop(captures, (int64_t)captures[1], someBody);
}

static void someAccesses(const uint64_t *captures, const uint64_t *values, int64_t lower,
                         int64_t upper, int64_t total, tutti_sink *sink) {
  (void)values;
  (void)total;
  const tutti_dim to = {8, upper - lower};
  tutti_access(sink, TUTTI_WRITE | TUTTI_AT_MOST, captures[0], captures[0] + (uint64_t)lower * 8, 8,
               1, &to);
}

USER_REGION(some, 0x5502, 3, 0, 0);

static void launchMove(void) {
  const Array *to = &arrays[draw(kArrays)];
  const Array *from = &arrays[draw(kArrays)];
  if (to == from) {
    return;
  }
  const int64_t width = 1 + draw(draw(3) == 0 ? 300 : 4);
  const int64_t toStride = width + draw(3) * draw(20);
  const int64_t spread = draw(3);
  const int64_t fromStride = draw(3) == 0 ? 0 : draw(width + 20);
  const int64_t toRoom = (to->count - width) / (toStride ? toStride : 1);
  const int64_t fromRoom = (from->count - width * spread - 1) / (fromStride ? fromStride : 1);
  const int64_t room = toRoom < fromRoom ? toRoom : fromRoom;
  if (room < 3) {
    return;
  }
  const int64_t count = 1 + draw(room - 1);
  const int64_t toStart = draw(to->count - (count - 1) * toStride - width + 1);
  const int64_t fromStart = draw(from->count - (count - 1) * fromStride - (width - 1) * spread);
  uint64_t captures[kCaptures] = {(uintptr_t)(to->window + toStart),
                                  (uintptr_t)(from->window + fromStart),
                                  (uint64_t)count,
                                  (uint64_t)toStride,
                                  (uint64_t)fromStride,
                                  (uint64_t)width,
                                  (uint64_t)spread,
                                  (uintptr_t)&addend,
                                  (uint64_t)draw(2)};
  addend = draw(1000);
  const int repeats = 1 + (int)draw(3);
  for (int k = 0; k < repeats; ++k) {
    tutti_launch(draw(5) == 0 ? &stay : &move, captures);
    compute(to->copy + toStart, from->copy + fromStart, captures, addend, 0, count - 1);
  }
}

static void launchSome(void) {
  const Array *to = &arrays[draw(kArrays)];
  const int64_t count = 1 + draw(to->count - 1);
  const int64_t start = draw(to->count - count + 1);
  const uint64_t captures[3] = {(uintptr_t)(to->window + start), (uint64_t)count,
                                (uint64_t)draw(100)};
  tutti_launch(&some, captures);
  for (int64_t i = 0; i < count; i += 3) {
    to->copy[start + i] = i * (int64_t)captures[2];
  }
}

static void compare(const Array *array, int64_t begin, int64_t end, int64_t step) {
  for (int64_t i = begin; i < end; i += step) {
    if (array->window[i] != array->copy[i]) {
      fprintf(stderr, "array %ld element %ld: %ld, not %ld\n", (long)(array - arrays), (long)i,
              (long)array->window[i], (long)array->copy[i]);
      exit(1);
    }
  }
}

static void touch(void) {
  const Array *array = &arrays[draw(kArrays)];
  const int64_t begin = draw(array->count);
  const int64_t end = begin + 1 + draw(array->count - begin);
  const int64_t step = 1 + draw(2) * draw(700);
  switch (draw(4)) {
  case 0:
    compare(array, begin, end, step);
    return;
  case 1:
    for (int64_t i = begin; i < end; i += step) {
      array->window[i] = array->copy[i] = draw(100000);
    }
    return;
  case 2: /* One element. */
    array->window[begin] = array->copy[begin] = draw(100000);
    return;
  default: { /* Through the kernel, there and back. */
    int pipes[2];
    const size_t bytes = sizeof(int64_t) * (size_t)(end - begin < 4000 ? end - begin : 4000);
    CHECK(pipe(pipes) == 0);
    CHECK(write(pipes[1], array->window + begin, bytes) == (ssize_t)bytes);
    int64_t got[4000];
    CHECK(read(pipes[0], got, bytes) == (ssize_t)bytes);
    CHECK(memcmp(got, array->copy + begin, bytes) == 0);
    got[0] = array->copy[begin] = draw(1000);
    CHECK(write(pipes[1], got, bytes) == (ssize_t)bytes);
    CHECK(read(pipes[0], array->window + begin, bytes) == (ssize_t)bytes);
    close(pipes[0]);
    close(pipes[1]);
  }
  }
}

static void renew(void) {
  Array *array = &arrays[draw(3)];
  free(array->window);
  array->window = tutti_calloc((size_t)array->count, sizeof(int64_t));
  memset(array->copy, 0, sizeof(int64_t) * (size_t)array->count);
}

static void run(int64_t *local, int operations) {
  const int64_t counts[kArrays] = {50021, 3001, 200003, kGlobal, kSmall, kStack};
  for (int k = 0; k < kArrays; ++k) {
    arrays[k].count = counts[k];
    arrays[k].copy = calloc((size_t)counts[k], sizeof(int64_t));
    arrays[k].window = k < 3    ? tutti_calloc((size_t)counts[k], sizeof(int64_t))
                       : k == 3 ? globalArray
                       : k == 4 ? smallArray
                                : local;
    memcpy(arrays[k].copy, arrays[k].window, sizeof(int64_t) * (size_t)counts[k]);
  }
  for (int k = 0; k < operations; ++k) {
    const int64_t kind = draw(20);
    if (kind < 10) {
      launchMove();
    } else if (kind < 13) {
      launchSome();
    } else if (kind < 19) {
      touch();
    } else {
      renew();
    }
  }
  for (int k = 0; k < kArrays; ++k) {
    compare(&arrays[k], 0, arrays[k].count, 1);
  }
}

int main(int argc, char **argv) {
  int64_t local[kStack] = {0};
  state = argc > 1 ? (uint64_t)atoll(argv[1]) : 1;
  run(local, argc > 2 ? atoi(argv[2]) : 300);
  puts("ok");
  return 0;
}
