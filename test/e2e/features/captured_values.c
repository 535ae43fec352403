// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Values behind pointers, in structs and in globals that change between launches.
#include <stdio.h>
#include <stdlib.h>

struct settings {
  int first, last;
  double factor;

  struct {
    int stride;
  } inner;
};

static int global_shift = 1;
static double *global_data;
int global_size;

__attribute__((noinline)) static void apply(double *a, const struct settings *s, const int *n) {
#pragma omp parallel for
  for (int i = s->first; i < s->last; i += s->inner.stride) {
    a[i] = a[i] * s->factor + *n + global_shift;
  }
}

int main(void) {
  global_size = 640;
  global_data = malloc((size_t)global_size * sizeof *global_data);
#pragma omp parallel for
  for (int i = 0; i < global_size; ++i) {
    global_data[i] = i;
  }
  struct settings s = {0, global_size, 0.5, {1}};
  for (int step = 1; step < 8; ++step) {
    s.first = step * 3;
    s.last = global_size - step * 5;
    s.inner.stride = step;
    s.factor = 1.0 / step;
    global_shift += step;
    apply(global_data, &s, &step);
    global_size -= 10;
#pragma omp parallel for
    for (int i = 0; i < global_size; ++i) {
      global_data[i] += global_shift * 0.125;
    }
  }
  double sum = 0.0;
  for (int i = 0; i < 640; ++i) {
    sum += global_data[i] * (i % 9);
  }
  printf("sum %.9f\n", sum);
  free(global_data);
  return 0;
}
