// Writes through a null pointer, in a loop or behind it, if an argument asks for it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kCount = 10000 };

int main(int argc, char **argv) {
  double *values = malloc(kCount * sizeof *values);
  const int inLoop = argc > 1 && strcmp(argv[1], "loop") == 0;
  const int behind = argc > 1 && strcmp(argv[1], "behind") == 0;
  double *volatile nowhere = NULL;
  double *where = inLoop ? nowhere : values;
#pragma omp parallel for
  for (int i = 0; i < kCount; ++i) {
    where[i] = i;
  }
  if (behind) {
    nowhere[2] = 1;
  }
  printf("%g\n", values[kCount / 2]);
  free(values);
  return 0;
}
