// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Writes under conditions, early continue, data-dependent inner loops.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int width = 80;
  const int height = 50;
  int *image = malloc((size_t)width * height * sizeof *image);
  double *a = calloc(2000, sizeof *a);
#pragma omp parallel for schedule(dynamic)
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double cr = 3.0 * x / width - 2.0;
      const double ci = 2.0 * y / height - 1.0;
      double zr = 0.0;
      double zi = 0.0;
      int k = 0;
      while (k < 200 && zr * zr + zi * zi < 4.0) {
        const double t = zr * zr - zi * zi + cr;
        zi = 2.0 * zr * zi + ci;
        zr = t;
        ++k;
      }
      image[y * width + x] = k;
    }
  }
  for (int step = 0; step < 5; ++step) {
#pragma omp parallel for
    for (int i = 0; i < 2000; ++i) {
      if ((i + step) % 3 == 0) {
        a[i] = i * 0.5 + step;
      }
    }
#pragma omp parallel for
    for (int i = 1; i < 1999; ++i) {
      if (a[i] > 300.0 && a[i] < 700.0) {
        continue;
      }
      a[i] += image[i] % 10;
      if (i > 1000) {
        a[i] *= 0.5;
      }
    }
  }
  long count = 0;
  double sum = 0.0;
  for (int i = 0; i < width * height; ++i) {
    count += image[i];
  }
  for (int i = 0; i < 2000; ++i) {
    sum += a[i] * (i % 4);
  }
  printf("count %ld sum %.9f\n", count, sum);
  free(image);
  free(a);
  return 0;
}
