// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Small arrays of several ranks on one page, next to scalars that sequential code uses.
#include <stdio.h>
#include <stdlib.h>

struct block {
  char before[3];
  char bytes[101];
  short shorts[53];
  int scalar;
  float floats[29];
  long after;
};

int main(void) {
  struct block local = {.scalar = 5, .after = 9};
  struct block *heap = calloc(1, sizeof *heap);
  char line[64];
  int counter = 0;
  for (int step = 0; step < 10; ++step) {
    struct block *p = step % 2 == 0 ? &local : heap;
    p->scalar += step;
#pragma omp parallel for
    for (int i = 0; i < 101; ++i) {
      p->bytes[i] = (char)(p->bytes[i] + i + step);
    }
    ++counter;
    p->before[step % 3]++;
#pragma omp parallel for
    for (int i = 0; i < 53; ++i) {
      p->shorts[i] = (short)(p->shorts[i] + p->bytes[i] + p->scalar);
    }
    p->after += p->shorts[52];
#pragma omp parallel for
    for (int i = 0; i < 29; ++i) {
      p->floats[i] += 0.5f * (float)p->shorts[i + 20];
    }
    snprintf(line, sizeof line, "%d %.2f", p->shorts[7], p->floats[3]);
    printf("%s %d\n", line, counter);
  }
  long sum = local.after + heap->after + local.scalar + heap->scalar;
  for (int i = 0; i < 101; ++i) {
    sum += local.bytes[i] * 3 + heap->bytes[i];
  }
  for (int i = 0; i < 3; ++i) {
    sum += local.before[i] * 1000 + heap->before[i];
  }
  printf("sum %ld\n", sum);
  free(heap);
  return 0;
}
