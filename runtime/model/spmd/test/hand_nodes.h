/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * What the step for XcalableMP would write, written by hand, for programs that test the runtime.
 */
#pragma once

#include "abi/xmp.h"

#include <stdio.h>
#include <stdlib.h>

int xmpc_node_num(void);
int xmp_num_nodes(void);
int xmpc_all_node_num(void);
int xmp_all_num_nodes(void);

#define TEXT_OF(number) #number
#define LINE_TEXT(number) TEXT_OF(number)
#define HERE __FILE__ ":" LINE_TEXT(__LINE__)

/* Runs `function` before main. */
#define AT_START(function)                                                                         \
  static const tutti_xmp_unit unit = {TUTTI_XMP_VERSION, __FILE__, function};                      \
  __attribute__((section(TUTTI_SECTION_XMP),                                                       \
                 used)) static const tutti_xmp_unit *const unitOfFile = &unit;

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s: %s does not hold on node %d\n", HERE, #condition, xmpc_all_node_num()); \
      exit(3);                                                                                     \
    }                                                                                              \
  } while (0)

static const tutti_xmp_subscript kAll = {TUTTI_XMP_ALL, 0, 0, 1};

static inline tutti_xmp_subscript at(long index) {
  return (tutti_xmp_subscript){TUTTI_XMP_INDEX, index, 0, 1};
}

static inline tutti_xmp_subscript some(long first, long count, long step) {
  return (tutti_xmp_subscript){TUTTI_XMP_COUNT, first, count, step};
}

/* The place of an index in one dimension of the local part. */
static inline long place(const tutti_xmp_array *array, int d, long index) {
  const tutti_xmp_axis *axis = &array->axis[d];
  const long distance = index - axis->first;
  const long position = axis->width == 0 ? distance
                                         : distance / axis->cycle * axis->width +
                                               distance % axis->width - axis->origin;
  return position * axis->stride;
}

static inline double *element(const tutti_xmp_array *array, long i) {
  return (double *)*array->variable + place(array, 0, i);
}

static inline double *element2(const tutti_xmp_array *array, long i, long j) {
  return (double *)*array->variable + place(array, 0, i) + place(array, 1, j);
}
