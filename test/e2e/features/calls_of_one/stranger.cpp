// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stranger.h"

#include <omp.h>

static int starts = 0;
static int running = 0;
static double kept = 0;

void start(int step) { running = step; }

void stop() {
  starts += running > 0 ? 1 : 0;
  running = 0;
}

int started() { return starts; }

void put(double value) { kept = 0.5 * kept + value; }

double got(double *row, int columns) {
  for (int j = 0; j < columns; j++) {
    row[j] += 1e-3 * kept;
  }
  return 1e-3 * kept;
}

int ask(int *isInParallel) {
  *isInParallel = omp_in_parallel() != 0;
  return omp_get_num_threads();
}
