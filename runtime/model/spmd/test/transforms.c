/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * The transformational functions between arrays of different mappings.
 */
#include "runtime/model/spmd/test/hand_nodes.h"

void xmp_transpose(void *x, void *a, int opt);
void xmp_matmul(void *x, void *a, void *b);
void xmp_gather(void *x, void *a, ...);
void xmp_scatter(void *x, void *a, ...);
void xmp_pack(void *v, void *a, ...);
void xmp_unpack(void *a, void *v, ...);
void xmp_sort_up(void *from, void *to);
void xmp_sort_down(void *from, void *to);

enum { kRows = 7, kColumns = 5, kElements = 23 };

static tutti_xmp_nodes *nodes;

static void start(void) {
  const long size = -1;
  nodes = tutti_xmp_make_nodes(HERE, 1, &size, TUTTI_XMP_ENTIRE, NULL);
}

AT_START(start)

static tutti_xmp_template *makeTemplate(long extent, long kind, long width) {
  const tutti_xmp_subscript all = some(0, extent, 1);
  const tutti_xmp_format format = {kind, width, NULL, 0};
  tutti_xmp_template *made = tutti_xmp_make_template(HERE, 1, &all);
  tutti_xmp_distribute(HERE, made, 1, &format, nodes);
  return made;
}

/* The dimension `aligned` follows the template. */
static tutti_xmp_array *makeMatrix(double **variable, long n, long m, int aligned, long kind) {
  const long extents[2] = {n, m};
  const tutti_xmp_alignment alignments[2] = {{aligned == 0 ? 0 : -1, 0},
                                             {aligned == 1 ? 0 : -1, 0}};
  return tutti_xmp_make_array(
      HERE, variable, TUTTI_XMP_ALLOCATE, TUTTI_XMP_DOUBLE, sizeof(double), 2, extents, alignments,
      makeTemplate(extents[aligned], kind, kind == TUTTI_XMP_CYCLIC ? 2 : 0));
}

static tutti_xmp_array *makeVector(void *variable, long type, long bytes, long kind) {
  const long extent = kElements;
  const tutti_xmp_alignment alignment = {0, 0};
  return tutti_xmp_make_array(HERE, variable, TUTTI_XMP_ALLOCATE, type, bytes, 1, &extent,
                              &alignment,
                              makeTemplate(kElements, kind, kind == TUTTI_XMP_CYCLIC ? 3 : 0));
}

static tutti_xmp_section whole(tutti_xmp_array *array, long rank) {
  return (tutti_xmp_section){array, NULL, 0, 0, rank, NULL, NULL};
}

/* All of the array comes to every node, or from it. */
static void copyOut(double *to, tutti_xmp_array *array, long rank, const long *extents) {
  const tutti_xmp_section left = {NULL, to, TUTTI_XMP_DOUBLE, sizeof *to, rank, extents, NULL};
  const tutti_xmp_section right = whole(array, rank);
  tutti_xmp_gmove(HERE, TUTTI_XMP_COLLECTIVE, &left, &right, TUTTI_XMP_NOW);
}

static void copyIn(tutti_xmp_array *array, void *from, long type, long bytes, long rank,
                   const long *extents) {
  const tutti_xmp_section left = whole(array, rank);
  const tutti_xmp_section right = {NULL, from, type, bytes, rank, extents, NULL};
  tutti_xmp_gmove(HERE, TUTTI_XMP_COLLECTIVE, &left, &right, TUTTI_XMP_NOW);
}

static void matrices(void) {
  double *variables[4];
  tutti_xmp_array *a = makeMatrix(&variables[0], kRows, kColumns, 0, TUTTI_XMP_BLOCK);
  tutti_xmp_array *b = makeMatrix(&variables[1], kColumns, kRows, 1, TUTTI_XMP_CYCLIC);
  tutti_xmp_array *x = makeMatrix(&variables[2], kRows, kRows, 1, TUTTI_XMP_BLOCK);
  double from[kRows][kColumns];
  double to[kColumns][kRows];
  double product[kRows][kRows];
  for (long i = 0; i < kRows; i++) {
    for (long j = 0; j < kColumns; j++) {
      from[i][j] = (double)(10 * i + j);
    }
  }
  const long extents[2] = {kRows, kColumns};
  const long turned[2] = {kColumns, kRows};
  const long square[2] = {kRows, kRows};
  copyIn(a, from, TUTTI_XMP_DOUBLE, sizeof(double), 2, extents);
  xmp_transpose(b, a, 0);
  copyOut(to[0], b, 2, turned);
  xmp_matmul(x, a, b);
  copyOut(product[0], x, 2, square);
  for (long i = 0; i < kRows; i++) {
    for (long j = 0; j < kRows; j++) {
      double sum = 0;
      for (long k = 0; k < kColumns; k++) {
        CHECK(to[k][j] == from[j][k]);
        sum += from[i][k] * from[j][k];
      }
      CHECK(product[i][j] == sum);
    }
  }
}

static void vectors(void) {
  double *variables[3];
  int *numbers;
  tutti_xmp_array *a = makeVector(&variables[0], TUTTI_XMP_DOUBLE, 8, TUTTI_XMP_BLOCK);
  tutti_xmp_array *b = makeVector(&variables[1], TUTTI_XMP_DOUBLE, 8, TUTTI_XMP_CYCLIC);
  tutti_xmp_array *c = makeVector(&variables[2], TUTTI_XMP_DOUBLE, 8, TUTTI_XMP_BLOCK);
  tutti_xmp_array *places = makeVector(&numbers, TUTTI_XMP_INT32, 4, TUTTI_XMP_CYCLIC);
  const long extent = kElements;
  double from[kElements];
  int order[kElements];
  double result[kElements];
  for (long i = 0; i < kElements; i++) {
    from[i] = (double)((i * 7) % kElements) + 0.5;
    order[i] = (int)((i * 5) % kElements);
  }
  copyIn(a, from, TUTTI_XMP_DOUBLE, 8, 1, &extent);
  copyIn(places, order, TUTTI_XMP_INT32, 4, 1, &extent);
  xmp_gather(b, a, places);
  copyOut(result, b, 1, &extent);
  for (long i = 0; i < kElements; i++) {
    CHECK(result[i] == from[order[i]]);
  }
  xmp_scatter(c, b, places);
  copyOut(result, c, 1, &extent);
  for (long i = 0; i < kElements; i++) {
    CHECK(result[i] == from[i]);
  }
  xmp_sort_up(a, b);
  copyOut(result, b, 1, &extent);
  for (long i = 0; i < kElements; i++) {
    CHECK(result[i] == (double)i + 0.5);
  }
  xmp_sort_down(a, c);
  copyOut(result, c, 1, &extent);
  for (long i = 0; i < kElements; i++) {
    CHECK(result[i] == (double)(kElements - 1 - i) + 0.5);
  }
  /* All but the place that holds 0. */
  xmp_pack(b, a, places, NULL);
  copyOut(result, b, 1, &extent);
  for (long i = 1; i < kElements; i++) {
    CHECK(result[i - 1] == from[i]);
  }
  xmp_unpack(a, b, places, NULL);
  copyOut(result, a, 1, &extent);
  for (long i = 0; i < kElements; i++) {
    CHECK(result[i] == from[i]);
  }
  xmp_pack(c, a, NULL);
  copyOut(result, c, 1, &extent);
  CHECK(result[kElements - 1] == from[kElements - 1] && result[0] == from[0]);
}

int main(void) {
  matrices();
  vectors();
  if (xmpc_all_node_num() == 0) {
    puts("ok");
  }
  return 0;
}
