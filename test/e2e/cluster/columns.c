/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Columns of a matrix on different nodes at the same time: what lies between the elements that a task names is
   written by tasks that run meanwhile. */
#ifndef _OMPSS_2
static int nanos6_get_num_cluster_nodes(void) { return 1; }
#else
#include <nanos6/cluster.h>
#endif
#include <stdio.h>
#include <stdlib.h>

enum { kRows = 100, kColumns = 6, kRounds = 12 };

int main(void) {
  unsigned (*m)[kColumns] = calloc(kRows, sizeof *m);
  int nodes = nanos6_get_num_cluster_nodes();
  for (int round = 0; round < kRounds; round++) {
    for (int k = 0; k < kColumns; k++) {
#pragma oss task inout(m[0;kRows][k;1]) node((round + k) % nodes)
      {
        for (volatile int i = 0; i < 20000 * (k % 3); i++) {
        }
        for (int i = 0; i < kRows; i++) m[i][k] = m[i][k] * 5 + i + k;
      }
    }
  }
#pragma oss taskwait
  unsigned sum = 0;
  for (int i = 0; i < kRows; i++)
    for (int k = 0; k < kColumns; k++) sum = sum * 31 + m[i][k];
  printf("%u\n", sum);
  free(m);
}
