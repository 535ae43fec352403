// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reductions of whole constructs, to which code beside the loop adds as well: what that reads, the
/// loops before have left elsewhere.
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 40000 };

static int before(const double *data) {
  int all = 1;
#pragma omp parallel reduction(&& : all)
  {
    int limit = (int)data[LENGTH / 2];
#pragma omp for nowait
    for (int i = 0; i < LENGTH; ++i) {
      if (data[i] > limit) {
        all = 0;
      }
    }
    all = all && limit == 2;
  }
  return all;
}

static double behind(const double *data) {
  double least = 1e9;
#pragma omp parallel reduction(min : least)
  {
#pragma omp for nowait schedule(dynamic, 100)
    for (int i = 0; i < LENGTH; ++i) {
      least = data[i] < least ? data[i] : least;
    }
    for (int k = LENGTH / 2; k < LENGTH / 2 + 10; ++k) {
      least = data[k] / 2 < least ? data[k] / 2 : least;
    }
  }
  return least;
}

int main(void) {
  double *data = malloc(LENGTH * sizeof *data);
  for (int i = 0; i < LENGTH; ++i) {
    data[i] = 5;
  }
#pragma omp parallel for
  for (int i = 0; i < LENGTH; ++i) {
    data[i] = i == 77 ? -1 : 2;
  }
  printf("%d\n", before(data));
#pragma omp parallel for
  for (int i = 0; i < LENGTH; ++i) {
    data[i] = i % 10 + 1000;
  }
  printf("%g\n", behind(data));
  free(data);
}
