// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARGS: 3
/// \file
/// The same elements are written through computed indices again and again. What that moves is
/// asserted in counters.py.
#include <stdio.h>
#include <stdlib.h>

enum { ELEMENTS = 600000, WRITTEN = 6000 };

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 1;
  int *index = malloc(WRITTEN * sizeof *index);
  unsigned long *to = calloc(ELEMENTS, sizeof *to);
  for (int i = 0; i < WRITTEN; ++i) {
    index[i] = (int)(i * 1237L % WRITTEN * (ELEMENTS / WRITTEN));
  }
  for (int round = 0; round < rounds; ++round) {
#pragma omp parallel for
    for (int i = 0; i < WRITTEN; ++i) {
      to[index[i]] = ~to[index[i]]; // No byte stays as it is.
    }
  }
  unsigned long sum = 0;
  for (int i = 0; i < ELEMENTS; ++i) {
    sum = 3 * sum + to[i] % (unsigned long)(i + 2);
  }
  printf("%lu\n", sum);
  free(index);
  free(to);
  return 0;
}
