/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tasks of the host that write beside loops, some of whose bytes share their pages. */
#include <stdio.h>
#include <stdlib.h>

enum { kCells = 1 << 15, kBlocks = 64, kBlock = 512, kOwn = 256, kSteps = 30 };

int main(void) {
  double *a = calloc(kCells, sizeof *a), *b = calloc(kCells, sizeof *b);
  long *own = calloc(kCells, sizeof *own);
  for (int step = 0; step < kSteps; ++step) {
    for (int k = 0; k < kBlocks; ++k) {
#pragma oss task inout(own[k * kBlock; kOwn])
      for (int r = 0; r < 20; ++r) {
        for (int i = k * kBlock; i < k * kBlock + kOwn; ++i) {
          own[i] += i + r;
        }
      }
    }
#pragma omp parallel for
    for (int i = 0; i < kCells; ++i) {
      a[i] = b[i] + i;
    }
#pragma omp parallel for
    for (int k = 0; k < kBlocks; ++k) {
      for (int i = k * kBlock + kOwn; i < (k + 1) * kBlock; ++i) {
        own[i] += (long)a[i];
      }
    }
#pragma omp parallel for
    for (int i = 0; i < kCells; ++i) {
      b[i] = a[i] * 0.5;
    }
  }
#pragma oss taskwait
  long s = 0;
  double t = 0;
  for (int i = 0; i < kCells; ++i) {
    s += own[i] * (i % 5), t += b[i] * (i % 3);
  }
  printf("%ld %.10g\n", s, t);
}
