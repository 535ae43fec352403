// Grows an array that a loop fills, and asks once for what nobody has set.
#include <stdio.h>
#include <stdlib.h>

enum { kCount = 10000 };

int main(void) {
  double *values = malloc(10 * sizeof *values);
  values = realloc(values, kCount * sizeof *values);
  if (!values) {
    return 1;
  }
#pragma omp parallel for
  for (int i = 0; i < kCount; ++i) {
    values[i] = 0.9 * i;
  }
  double sum = 0;
  for (int i = 0; i < kCount; ++i) {
    sum += values[i];
  }
  int unset;
  volatile int *asked = &unset;
  if (*asked == 7) {
    puts("seven");
  }
  printf("sum %.3g\n", sum);
  free(values);
  return 0;
}
