// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A program with an allocator of its own: memory goes back where it is from.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double table[1000];

int main(void) {
  double *a = malloc(1000 * sizeof *a);
  double *b = calloc(1000, sizeof *b);
#pragma omp parallel for
  for (int i = 0; i < 1000; ++i) {
    a[i] = i;
    table[i] = 2 * i;
  }
#pragma omp parallel for
  for (int i = 0; i < 1000; ++i) {
    table[i] += i % 7;
  }
  a = realloc(a, 2000 * sizeof *a);
  char *text = strdup("copied by the C library");
  text = realloc(text, 100);
  puts(text);
  free(text);
  void *aligned = NULL;
  const int status = posix_memalign(&aligned, 64, 100);
  free(aligned);
  free(aligned_alloc(64, 128));
  double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 1000; ++i) {
    sum += a[i] + b[i] + table[i];
  }
  printf("%d %.1f\n", status, sum);
  free(a);
  free(b);
  return 0;
}
