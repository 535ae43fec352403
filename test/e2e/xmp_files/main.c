// Arrays and pointers that several files align, by a header that both include.
#include <stdio.h>
#include <stdlib.h>

#include "shared.h"
#ifdef _XCALABLEMP
#include <xmp.h>
#endif

double table[N][M];
int *numbers;

int main(void) {
  double sum = 0;
#ifdef _XCALABLEMP
  numbers = (int *)xmp_malloc(xmp_desc_of(numbers), N);
#else
  numbers = malloc(N * sizeof *numbers);
#endif
  fill(3);
#pragma xmp loop(i) on t[i] reduction(+ : sum)
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < M; j++) {
      sum += table[i][j] * numbers[i];
    }
  }
#pragma xmp task on p[0]
  printf("%g\n", sum);
  free(numbers);
  return 0;
}
