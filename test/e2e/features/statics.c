// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Static locals, constant tables and globals of every initialisation.
#include <stdio.h>

static const double table[5] = {1.0, 0.5, 0.25, 0.125, 0.0625};
static int counter = 3;
double initialised[4] = {4.0, 3.0, 2.0, 1.0};
static double zeroed[2000];
float large[3][1000] = {{1.0f}};
static double *pointer = zeroed + 100;
_Alignas(64) static long aligned[64];

static double accumulate(int n) {
  static double history[10];
  static int calls;
  static double local[500];
  ++calls;
#pragma omp parallel for
  for (int i = 0; i < 500; ++i) {
    local[i] += table[i % 5] * n;
  }
  for (int i = 0; i < 500; ++i) {
    history[calls % 10] += local[i];
  }
  return history[calls % 10];
}

int main(void) {
  for (int step = 0; step < 4; ++step) {
    counter += step;
#pragma omp parallel for
    for (int i = 0; i < 2000; ++i) {
      zeroed[i] += counter * initialised[i % 4] + table[i % 5];
    }
#pragma omp parallel for
    for (int i = 0; i < 500; ++i) {
      pointer[i] *= 0.5;
      large[i % 3][i] += (float)pointer[i];
    }
#pragma omp parallel for
    for (int i = 0; i < 64; ++i) {
      aligned[i] += counter + i;
    }
    initialised[step] += 0.5;
    printf("step %d: %.6f\n", step, accumulate(step + 1));
  }
  double sum = 0.0;
  for (int i = 0; i < 2000; ++i) {
    sum += zeroed[i] * (i % 3);
  }
  for (int i = 0; i < 1000; ++i) {
    sum += large[0][i] + large[1][i] + large[2][i];
  }
  for (int i = 0; i < 64; ++i) {
    sum += (double)aligned[i];
  }
  printf("sum %.6f counter %d\n", sum, counter);
  return 0;
}
