/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * Programs that cannot go on, each in its way.
 *
 * usage: broken WAY
 */
#include "runtime/model/spmd/test/hand_nodes.h"

#include <string.h>

static tutti_xmp_nodes *nodes;
static tutti_xmp_template *blocks;
static double *variable;
static tutti_xmp_array *array;

enum { kElements = 12 };

static void start(void) {
  const long size = -1;
  nodes = tutti_xmp_make_nodes("user.c:1:1", 1, &size, TUTTI_XMP_ENTIRE, NULL);
  const tutti_xmp_subscript extent = some(0, kElements, 1);
  const tutti_xmp_format format = {TUTTI_XMP_BLOCK, 0, NULL, 0};
  blocks = tutti_xmp_make_template("user.c:2:1", 1, &extent);
  tutti_xmp_distribute("user.c:3:1", blocks, 1, &format, nodes);
  const long extents = kElements;
  const tutti_xmp_alignment alignment = {0, 0};
  array = tutti_xmp_make_array("user.c:4:1", &variable, TUTTI_XMP_ALLOCATE, TUTTI_XMP_DOUBLE,
                               sizeof(double), 1, &extents, &alignment, blocks);
  const tutti_xmp_width width = {1, 1, 0};
  tutti_xmp_set_shadow("user.c:5:1", array, 1, &width);
}

AT_START(start)

static void assign(tutti_xmp_subscript to, tutti_xmp_subscript from) {
  const tutti_xmp_section left = {array, NULL, TUTTI_XMP_DOUBLE, 8, 1, NULL, &to};
  const tutti_xmp_section right = {array, NULL, TUTTI_XMP_DOUBLE, 8, 1, NULL, &from};
  tutti_xmp_gmove("user.c:9:1", TUTTI_XMP_COLLECTIVE, &left, &right, TUTTI_XMP_NOW);
}

static void breakBy(const char *way) {
  if (strcmp(way, "nodes") == 0) {
    const long size = 5;
    tutti_xmp_make_nodes("user.c:9:1", 1, &size, TUTTI_XMP_ENTIRE, NULL);
  } else if (strcmp(way, "width") == 0) {
    const tutti_xmp_width width = {2, 0, 0};
    tutti_xmp_reflect("user.c:9:1", array, &width, 0, TUTTI_XMP_NOW);
  } else if (strcmp(way, "outside") == 0) {
    assign(some(5, 8, 1), some(0, 8, 1));
  } else if (strcmp(way, "shape") == 0) {
    assign(some(0, 3, 1), some(0, 4, 1));
  } else if (strcmp(way, "map") == 0) {
    const int map[4] = {1, 1, 1, 1};
    const tutti_xmp_subscript extent = some(0, kElements, 1);
    const tutti_xmp_format format = {TUTTI_XMP_GBLOCK, 0, map, 4};
    tutti_xmp_template *made = tutti_xmp_make_template("user.c:8:1", 1, &extent);
    tutti_xmp_distribute("user.c:9:1", made, 1, &format, nodes);
  } else if (strcmp(way, "one") == 0) {
    if (xmpc_node_num() == xmp_num_nodes() - 1) {
      exit(7);
    }
  }
  tutti_xmp_barrier("user.c:10:1", NULL);
}

int main(int argc, char **argv) {
  breakBy(argc > 1 ? argv[1] : "one");
  return 0;
}
