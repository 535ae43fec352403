/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * Assignments between mappings, tasks, broadcasts, reductions with locations, shadows added up;
 * each as often as asked.
 *
 * usage: moves rounds
 */
#include "runtime/model/spmd/test/hand_nodes.h"

#include <math.h>

enum { kElements = 37 };

static tutti_xmp_nodes *nodes;
static tutti_xmp_template *blocks;
static tutti_xmp_template *dealt;
static double *inBlocks;
static double *inTurn;
static tutti_xmp_array *a;
static tutti_xmp_array *b;

static tutti_xmp_template *makeTemplate(long kind, long width) {
  const tutti_xmp_subscript extent = some(0, kElements, 1);
  const tutti_xmp_format format = {kind, width, NULL, 0};
  tutti_xmp_template *made = tutti_xmp_make_template(HERE, 1, &extent);
  tutti_xmp_distribute(HERE, made, 1, &format, nodes);
  return made;
}

static tutti_xmp_array *makeArray(double **variable, tutti_xmp_template *with) {
  const long extent = kElements;
  const tutti_xmp_alignment alignment = {0, 0};
  return tutti_xmp_make_array(HERE, variable, TUTTI_XMP_ALLOCATE, TUTTI_XMP_DOUBLE, sizeof(double),
                              1, &extent, &alignment, with);
}

static void start(void) {
  const long size = -1;
  nodes = tutti_xmp_make_nodes(HERE, 1, &size, TUTTI_XMP_ENTIRE, NULL);
  blocks = makeTemplate(TUTTI_XMP_BLOCK, 0);
  dealt = makeTemplate(TUTTI_XMP_CYCLIC, 3);
  a = makeArray(&inBlocks, blocks);
  b = makeArray(&inTurn, dealt);
}

AT_START(start)

static tutti_xmp_section globally(tutti_xmp_array *array, const tutti_xmp_subscript *subscripts) {
  return (tutti_xmp_section){array, NULL, TUTTI_XMP_DOUBLE, sizeof(double), 1, NULL, subscripts};
}

static const long kExtent = kElements;

static tutti_xmp_section locally(double *base, const tutti_xmp_subscript *subscripts) {
  return (tutti_xmp_section){NULL, base, TUTTI_XMP_DOUBLE, sizeof(double), 1, &kExtent, subscripts};
}

static tutti_xmp_section scalar(void *variable, long type, long bytes) {
  return (tutti_xmp_section){NULL, variable, type, bytes, 0, NULL, NULL};
}

/* Element i becomes i + offset. */
static void fill(tutti_xmp_array *array, tutti_xmp_template *with, double offset) {
  const tutti_xmp_ref on = {with, 1, &kAll};
  tutti_xmp_index index = {.axis = 0, .lower = 0, .last = kElements - 1, .step = 1};
  tutti_xmp_share(HERE, &on, 1, &index);
  for (long k = 0; k < index.count; k++) {
    const long i = tutti_xmp_iteration(&index, k);
    *element(array, i) = (double)i + offset;
  }
}

/* Backwards from blocks to blocks in turn, then to everybody. */
static void assign(double offset) {
  fill(a, blocks, offset);
  fill(b, dealt, -1);
  const tutti_xmp_subscript down = {TUTTI_XMP_COUNT, kElements - 1, kElements, -1};
  const tutti_xmp_section left = globally(b, NULL);
  const tutti_xmp_section right = globally(a, &down);
  tutti_xmp_gmove(HERE, TUTTI_XMP_COLLECTIVE, &left, &right, TUTTI_XMP_NOW);
  double copy[kElements] = {0};
  const tutti_xmp_section everywhere = locally(copy, NULL);
  const tutti_xmp_section back = globally(b, NULL);
  tutti_xmp_gmove(HERE, TUTTI_XMP_COLLECTIVE, &everywhere, &back, 7);
  const long id = 7;
  tutti_xmp_wait_async(HERE, 1, &id, NULL);
  for (long i = 0; i < kElements; i++) {
    CHECK(copy[i] == (double)(kElements - 1 - i) + offset);
  }
  double one = 0;
  const tutti_xmp_subscript fifth = at(5);
  const tutti_xmp_section value = scalar(&one, TUTTI_XMP_DOUBLE, sizeof one);
  const tutti_xmp_section from = globally(a, &fifth);
  tutti_xmp_gmove(HERE, TUTTI_XMP_COLLECTIVE, &value, &from, TUTTI_XMP_NOW);
  CHECK(one == 5 + offset);
}

/* An array is moved by one element within itself. */
static void shift(void) {
  fill(a, blocks, 0);
  const tutti_xmp_subscript to = some(1, kElements - 1, 1);
  const tutti_xmp_subscript from = some(0, kElements - 1, 1);
  const tutti_xmp_section left = globally(a, &to);
  const tutti_xmp_section right = globally(a, &from);
  tutti_xmp_gmove(HERE, TUTTI_XMP_COLLECTIVE, &left, &right, TUTTI_XMP_NOW);
  double copy[kElements];
  const tutti_xmp_section everywhere = locally(copy, NULL);
  const tutti_xmp_section all = globally(a, NULL);
  tutti_xmp_gmove(HERE, TUTTI_XMP_COLLECTIVE, &everywhere, &all, TUTTI_XMP_NOW);
  CHECK(copy[0] == 0);
  for (long i = 1; i < kElements; i++) {
    CHECK(copy[i] == (double)(i - 1));
  }
}

/* The last node tells the others; the task of all but the first adds up their numbers. */
static void meet(void) {
  const long size = xmp_num_nodes();
  const int own = xmpc_node_num();
  int word = own;
  const tutti_xmp_subscript last = at(size - 1);
  const tutti_xmp_ref from = {nodes, 1, &last};
  const tutti_xmp_section item = scalar(&word, TUTTI_XMP_INT32, sizeof word);
  tutti_xmp_bcast(HERE, 1, &item, &from, NULL, TUTTI_XMP_NOW);
  CHECK(word == (int)size - 1);
  if (size == 1) {
    return;
  }
  const tutti_xmp_subscript others = some(1, size - 1, 1);
  const tutti_xmp_ref on = {nodes, 1, &others};
  tutti_xmp_scope scope = {{0, 0, 0, 0}};
  if (tutti_xmp_enter(HERE, &scope, &on, 0)) {
    CHECK(own > 0 && xmp_num_nodes() == (int)size - 1 && xmpc_node_num() == own - 1);
    long sum = own;
    const tutti_xmp_reduced reduced = {scalar(&sum, TUTTI_XMP_INT64, sizeof sum), TUTTI_XMP_ADD, -1,
                                       0, NULL};
    tutti_xmp_reduction(HERE, NULL, 1, &reduced, TUTTI_XMP_NOW);
    CHECK(sum == size * (size - 1) / 2);
  }
  tutti_xmp_leave(&scope);
  CHECK(xmp_num_nodes() == (int)size);
}

/* The largest value, which several nodes have, with where the loop found it last. */
static void locate(void) {
  const int own = xmpc_node_num();
  double value = own % 2 == 0 ? 3.5 : 1.25;
  int where = 100 + own;
  const tutti_xmp_section location = scalar(&where, TUTTI_XMP_INT32, sizeof where);
  tutti_xmp_reduced reduced = {scalar(&value, TUTTI_XMP_DOUBLE, sizeof value), TUTTI_XMP_LASTMAX,
                               own, 1, &location};
  tutti_xmp_end_reduction(HERE, NULL, 1, &reduced);
  CHECK(value == 3.5 && where == 100 + (xmp_num_nodes() - 1) / 2 * 2);
}

/* Truth of numbers that are no integers. */
static void decide(void) {
  double all = 0.5;
  double any = xmpc_node_num() == 0 ? 0.25 : 0;
  const tutti_xmp_reduced reduced[2] = {
      {scalar(&all, TUTTI_XMP_DOUBLE, sizeof all), TUTTI_XMP_AND, -1, 0, NULL},
      {scalar(&any, TUTTI_XMP_DOUBLE, sizeof any), TUTTI_XMP_OR, -1, 0, NULL}};
  tutti_xmp_reduction(HERE, NULL, 2, reduced, TUTTI_XMP_NOW);
  CHECK(xmp_num_nodes() == 1 || (all == 1 && any == 1));
}

/* Every node adds to its neighbours' elements, in a block with a declared shadow. */
static void addShadows(void) {
  double *variable = NULL;
  tutti_xmp_array *array = makeArray(&variable, blocks);
  const tutti_xmp_width width = {1, 1, 0};
  tutti_xmp_set_shadow(HERE, array, 1, &width);
  const tutti_xmp_ref on = {blocks, 1, &kAll};
  tutti_xmp_index index = {.axis = 0, .lower = 0, .last = kElements - 1, .step = 1};
  tutti_xmp_share(HERE, &on, 1, &index);
  for (long i = index.begin - 1; i < index.end + 1 && index.count > 0; i++) {
    *element(array, i) = 1;
  }
  tutti_xmp_reduce_shadow(HERE, array, NULL, 0, TUTTI_XMP_NOW);
  double copy[kElements];
  const tutti_xmp_section everywhere = locally(copy, NULL);
  const tutti_xmp_section all = globally(array, NULL);
  tutti_xmp_gmove(HERE, TUTTI_XMP_COLLECTIVE, &everywhere, &all, TUTTI_XMP_NOW);
  double sum = 0;
  for (long i = 0; i < kElements; i++) {
    sum += copy[i];
  }
  CHECK(sum == kElements + 2 * (xmp_num_nodes() - 1));
  tutti_xmp_release(&array);
}

/* The first node fetches what others have, then gives it back with something added; they call
 * nothing. */
static void fetchAndGive(void) {
  fill(a, blocks, 10);
  tutti_xmp_barrier(HERE, NULL);
  const tutti_xmp_subscript first = at(0);
  const tutti_xmp_ref on = {nodes, 1, &first};
  tutti_xmp_scope scope = {{0, 0, 0, 0}};
  if (tutti_xmp_enter(HERE, &scope, &on, 0)) {
    double copy[kElements] = {0};
    const tutti_xmp_subscript odd = some(1, kElements / 2, 2);
    const tutti_xmp_section here = locally(copy, &odd);
    const tutti_xmp_section there = globally(a, &odd);
    tutti_xmp_gmove(HERE, TUTTI_XMP_IN, &here, &there, TUTTI_XMP_NOW);
    for (long i = 0; i < kElements; i++) {
      CHECK(copy[i] == (i % 2 == 1 ? (double)i + 10 : 0));
      copy[i] += 100;
    }
    tutti_xmp_gmove(HERE, TUTTI_XMP_OUT, &there, &here, 3);
    const long id = 3;
    tutti_xmp_wait_async(HERE, 1, &id, NULL);
  }
  tutti_xmp_leave(&scope);
  tutti_xmp_barrier(HERE, NULL);
  double all[kElements];
  const tutti_xmp_section everywhere = locally(all, NULL);
  const tutti_xmp_section whole = globally(a, NULL);
  tutti_xmp_gmove(HERE, TUTTI_XMP_COLLECTIVE, &everywhere, &whole, TUTTI_XMP_NOW);
  for (long i = 0; i < kElements; i++) {
    CHECK(all[i] == (double)i + (i % 2 == 1 ? 110 : 10));
  }
}

int main(int argc, char **argv) {
  const long rounds = argc > 1 ? atol(argv[1]) : 1;
  for (long round = 0; round < rounds; round++) {
    assign((double)(1000 * round));
    shift();
    meet();
    locate();
    decide();
    addShadows();
    fetchAndGive();
  }
  if (xmpc_all_node_num() == 0) {
    puts("ok");
  }
  return 0;
}
