// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes that do not meet, or late: the first argument says how. The last node goes a way of its own.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xmp.h>
#pragma xmp nodes p[*]
#pragma xmp template t[12]
#pragma xmp distribute t[block] onto p
double a[12], b[12];
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with t[i]
#pragma xmp shadow a[1]

static int is(const char *way, const char *name) { return strcmp(way, name) == 0; }

int main(int argc, char **argv) {
  const char *way = argv[1];
  const int last = xmpc_all_node_num() == xmp_all_num_nodes() - 1;
  int x = 1;
#pragma xmp barrier // before
  if (is(way, "directives")) {
    if (last) {
#pragma xmp barrier // other
    } else {
#pragma xmp bcast (x) on p[0:xmp_all_num_nodes() - 1]
#pragma xmp reflect (a) // here
    }
  } else if (is(way, "gmove") && !last) {
#pragma xmp gmove // here
    a[0:12] = b[11:12:-1];
  } else if (is(way, "exit")) {
    if (last) {
      exit(0);
    }
#pragma xmp reduction(+ : x) // here
  } else if (is(way, "end") && !last) {
#pragma xmp barrier // here
  } else if (is(way, "one") && !last) {
#pragma xmp bcast (x) from p[xmp_all_num_nodes() - 1] // here
  } else if (is(way, "sort") && !last) {
    xmp_sort_up(xmp_desc_of(a), xmp_desc_of(b)); // here
  } else if (is(way, "task")) {
#pragma xmp task on p[0:2] // inside
    if (xmpc_all_node_num() == 0) {
#pragma xmp bcast (x) // here
    }
  } else if (is(way, "computes")) {
    if (last) {
      sleep(1000);
    }
#pragma xmp barrier // here
  } else if (is(way, "turns")) { // Nobody waits for long, but all do for most of the time.
    for (int turn = 0; turn < 4; ++turn) {
      if (turn % xmp_all_num_nodes() == xmpc_all_node_num()) {
        sleep(2);
      }
#pragma xmp barrier
    }
  } else if (is(way, "late")) {
    if (last) {
      sleep(3);
    }
#pragma xmp barrier
  }
  puts("met");
  return 0;
}
