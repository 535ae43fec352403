/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * Rows in blocks with a shadow: as many steps of smoothing as asked, against the same done alone.
 *
 * usage: grid rows columns steps
 */
#include "runtime/model/spmd/test/hand_nodes.h"

#include <math.h>

static tutti_xmp_nodes *nodes;

static void start(void) {
  const long size = -1;
  nodes = tutti_xmp_make_nodes(HERE, 1, &size, TUTTI_XMP_ENTIRE, NULL);
}

AT_START(start)

static double first(long i, long j) { return sin((double)(i * 31 + j * 7)); }

static tutti_xmp_array *makeRows(double **variable, tutti_xmp_template *rows, long n, long m) {
  const long extents[2] = {n, m};
  const tutti_xmp_alignment alignments[2] = {{0, 0}, {-1, 0}};
  const tutti_xmp_width widths[2] = {{1, 1, 0}, {0, 0, 0}};
  tutti_xmp_array *array =
      tutti_xmp_make_array(HERE, variable, TUTTI_XMP_ALLOCATE, TUTTI_XMP_DOUBLE, sizeof(double), 2,
                           extents, alignments, rows);
  tutti_xmp_set_shadow(HERE, array, 2, widths);
  return array;
}

static tutti_xmp_index share(tutti_xmp_template *rows, long lower, long last) {
  const tutti_xmp_ref on = {rows, 1, &kAll};
  tutti_xmp_index index = {.axis = 0, .lower = lower, .last = last, .step = 1};
  tutti_xmp_share(HERE, &on, 1, &index);
  return index;
}

static double smooth(double below, double at, double above) {
  return 0.25 * below + 0.5 * at + 0.25 * above;
}

/* The sum of all elements after all steps, by one node alone. */
static double alone(long n, long m, long steps) {
  double *a = malloc((size_t)(n * m) * sizeof *a);
  double *b = malloc((size_t)(n * m) * sizeof *b);
  for (long i = 0; i < n * m; i++) {
    a[i] = b[i] = first(i / m, i % m);
  }
  for (long step = 0; step < steps; step++) {
    for (long i = m; i < (n - 1) * m; i++) {
      b[i] = smooth(a[i - m], a[i], a[i + m]);
    }
    double *other = a;
    a = b;
    b = other;
  }
  double sum = 0;
  for (long i = 0; i < n * m; i++) {
    sum += a[i] * (double)(i % 101);
  }
  free(a);
  free(b);
  return sum;
}

int main(int argc, char **argv) {
  const long n = argc > 1 ? atol(argv[1]) : 64;
  const long m = argc > 2 ? atol(argv[2]) : 16;
  const long steps = argc > 3 ? atol(argv[3]) : 10;
  const tutti_xmp_subscript extent = some(0, n, 1);
  const tutti_xmp_format block = {TUTTI_XMP_BLOCK, 0, NULL, 0};
  tutti_xmp_template *rows = tutti_xmp_make_template(HERE, 1, &extent);
  tutti_xmp_distribute(HERE, rows, 1, &block, nodes);
  double *variables[2];
  tutti_xmp_array *a = makeRows(&variables[0], rows, n, m);
  tutti_xmp_array *b = makeRows(&variables[1], rows, n, m);
  tutti_xmp_index index = share(rows, 0, n - 1);
  for (long i = index.begin; i < index.end; i += index.stride) {
    for (long j = 0; j < m; j++) {
      *element2(a, i, j) = *element2(b, i, j) = first(i, j);
    }
  }
  for (long step = 0; step < steps; step++) {
    tutti_xmp_reflect(HERE, a, NULL, 0, TUTTI_XMP_NOW);
    index = share(rows, 1, n - 2);
    for (long i = index.begin; i < index.end; i += index.stride) {
      for (long j = 0; j < m; j++) {
        *element2(b, i, j) =
            smooth(*element2(a, i - 1, j), *element2(a, i, j), *element2(a, i + 1, j));
      }
    }
    tutti_xmp_array *other = a;
    a = b;
    b = other;
  }
  double sum = 0;
  const tutti_xmp_ref on = {rows, 1, &kAll};
  const tutti_xmp_reduced item = {
      {NULL, &sum, TUTTI_XMP_DOUBLE, sizeof sum, 0, NULL, NULL}, TUTTI_XMP_ADD, -1, 0, NULL};
  tutti_xmp_begin_reduction(HERE, &on, 1, &item);
  index = share(rows, 0, n - 1);
  for (long i = index.begin; i < index.end; i += index.stride) {
    for (long j = 0; j < m; j++) {
      sum += *element2(a, i, j) * (double)((i * m + j) % 101);
    }
  }
  tutti_xmp_end_reduction(HERE, &on, 1, &item);
  tutti_xmp_barrier(HERE, NULL);
  const double expected = alone(n, m, steps);
  CHECK(fabs(sum - expected) < 1e-9 * (1 + fabs(expected)));
  tutti_xmp_release(&a);
  tutti_xmp_release(&b);
  if (xmpc_all_node_num() == 0) {
    puts("ok");
  }
  return 0;
}
