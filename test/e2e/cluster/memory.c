/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tasks that name nothing but memory of the cluster, and go where they like, among others that
 * stay. */
#include <stdio.h>

#include "cluster.h"

enum { kCells = 1 << 14, kBlock = 1 << 10, kBlocks = kCells / kBlock, kSteps = 12 };

int main(void) {
  double *a = nanos6_dmalloc(kCells * sizeof *a, nanos6_equpart_distribution, 0, NULL);
  double *b = nanos6_dmalloc(kCells * sizeof *b, nanos6_equpart_distribution, 0, NULL);
  int *turns = nanos6_lmalloc(kBlocks * sizeof *turns);
  double own[kBlocks];
  for (int k = 0; k < kBlocks; ++k) {
#pragma oss task out(a[k * kBlock; kBlock], b[k * kBlock; kBlock], turns[k])
    {
      for (int i = k * kBlock; i < (k + 1) * kBlock; ++i) {
        a[i] = b[i] = i % 100;
      }
      turns[k] = 0;
    }
  }
  for (int step = 0; step < kSteps; ++step) {
    for (int k = 0; k < kBlocks; ++k) {
      int first = k == 0 ? 1 : k * kBlock;
      int last = k == kBlocks - 1 ? kCells - 1 : (k + 1) * kBlock;
#pragma oss task in(a[first - 1; last - first + 2]) out(b[first; last - first]) inout(turns[k])
      {
        for (int i = first; i < last; ++i) {
          b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
        }
        ++turns[k];
      }
#pragma oss task in(b[first; last - first]) out(own[k])
      own[k] = b[first] + b[last - 1];
    }
    double *other = a;
    a = b;
    b = other;
  }
#pragma oss taskwait
  double sum = 0;
  for (int i = 0; i < kCells; ++i) {
    sum += a[i] * (i % 7);
  }
  int all = 0;
  for (int k = 0; k < kBlocks; ++k) {
    sum += own[k], all += turns[k];
  }
  printf("%.12g %d\n", sum, all);
  nanos6_lfree(turns, kBlocks * sizeof *turns);
  nanos6_dfree(b, kCells * sizeof *b);
  nanos6_dfree(a, kCells * sizeof *a);
}
