// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `single` and `master` call functions of another file, which have state of their own, write to
// shared memory and ask for the team that they are in.
#include <cstdio>
#include <omp.h>

#include "stranger.h"

static double a[300][200];
static double b[300][200];

static void smooth() {
#pragma omp for
  for (int i = 1; i < 299; i++) {
    for (int j = 1; j < 199; j++) {
      b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) + 1;
    }
  }
}

int main() {
  int team = 0;
  int inside = 0;
  double norm = 0;
#pragma omp parallel
  {
    for (int step = 0; step < 12; step++) {
#pragma omp master
      if (step > 2) {
        start(step);
      }
      smooth();
#pragma omp for reduction(+ : norm)
      for (int i = 1; i < 299; i++) {
        for (int j = 1; j < 199; j++) {
          a[i][j] = b[i][j];
          norm += b[i][j] * (step == 11);
        }
      }
#pragma omp single
      {
        put(a[150][100]);
        a[0][7 + step] = got(&a[299][0], 200);
        team = ask(&inside);
      }
#pragma omp master
      stop();
    }
  }
  int expected = 0;
#pragma omp parallel
#pragma omp master
  expected = omp_get_num_threads();
  double sum = 0;
  for (int i = 0; i < 300; i++) {
    for (int j = 0; j < 200; j++) {
      sum += a[i][j] * (i % 3 + j % 5);
    }
  }
  std::printf("%.10g %.10g, %d started, as in a team: %d, %d; here: %d\n", sum, norm, started(),
              team == expected, inside == (expected > 1), ask(&inside) == 1);
}
