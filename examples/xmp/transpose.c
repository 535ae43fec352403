// A matrix in blocks of rows is transposed into one whose rows are dealt in turn.
#include <stdio.h>

#ifndef ROWS
#define ROWS 150
#define COLUMNS 130
#endif
#ifndef TIMES
#define TIMES 1
#endif

long a[ROWS][COLUMNS], turned[ROWS][COLUMNS], b[COLUMNS][ROWS];
#pragma xmp nodes p[*]
#pragma xmp template t[ROWS]
#pragma xmp template s[COLUMNS]
#pragma xmp distribute t[block] onto p
#pragma xmp distribute s[cyclic] onto p
#pragma xmp align a[i][*] with t[i]
#pragma xmp align turned[*][j] with s[j]
#pragma xmp align b[j][*] with s[j]

int main(void) {
  long sum = 0;
#pragma xmp loop on t[i]
  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < COLUMNS; j++) {
      a[i][j] = 1000L * i + j;
    }
  }
  for (int time = 0; time < TIMES; time++) {
#ifdef _XCALABLEMP
#pragma xmp gmove
    turned[:][:] = a[:][:];
#else
    for (int i = 0; i < ROWS; i++) {
      for (int j = 0; j < COLUMNS; j++) {
        turned[i][j] = a[i][j];
      }
    }
#endif
#pragma xmp loop on s[j]
    for (int j = 0; j < COLUMNS; j++) {
      for (int i = 0; i < ROWS; i++) {
        b[j][i] = turned[i][j];
      }
    }
#pragma xmp loop on s[j] reduction(+ : sum)
    for (int j = 0; j < COLUMNS; j++) {
      for (int i = 0; i < ROWS; i++) {
        sum += b[j][i] * (i + 3 * j);
      }
    }
  }
#pragma xmp task on p[0]
  printf("sum %ld\n", sum);
  return 0;
}
