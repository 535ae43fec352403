// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARGS: 40
/// \file
/// Each launch writes one row of two arrays, which ends inside of a page, with factors that the
/// program makes for it. What that moves is asserted in counters.py.
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 1003 };

int main(int argc, char **argv) {
  const int rows = argc > 1 ? atoi(argv[1]) : 1;
  float *values = malloc(sizeof *values * rows * WIDTH);
  float *gradients = malloc(sizeof *gradients * rows * (WIDTH * 3));
  float *points = malloc(sizeof *points * WIDTH);
  for (int k = 0; k < WIDTH; ++k) {
    points[k] = k % 17;
  }
  float factors[4];
  for (int row = 0; row < rows; ++row) {
    for (int k = 0; k < 4; ++k) {
      factors[k] = row % 7 + k;
    }
    float *value = values + (long)row * WIDTH;
    float *gradient = gradients + (long)row * (WIDTH * 3);
#pragma omp parallel for
    for (int k = 0; k < WIDTH; ++k) {
      value[k] = factors[0] + factors[1] * points[k];
      for (int axis = 0; axis < 3; ++axis) {
        gradient[3 * k + axis] = factors[axis + 1] + points[k];
      }
    }
  }
  double sum = 0.0;
  for (int row = 0; row < rows; ++row) {
    for (int k = 0; k < WIDTH; ++k) {
      sum += values[(long)row * WIDTH + k] * (k % 5 + 1);
      for (int axis = 0; axis < 3; ++axis) {
        sum += gradients[(long)row * (WIDTH * 3) + 3 * k + axis] * (axis + 1);
      }
    }
  }
  printf("%.1f\n", sum);
  free(points);
  free(gradients);
  free(values);
}
