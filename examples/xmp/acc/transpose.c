// A matrix in blocks of rows is transposed into one whose rows are dealt in turn: gmove moves on
// the host, devices turn what came.
#include <stdio.h>

#ifndef ROWS
#define ROWS 150
#define COLUMNS 130
#endif

long a[ROWS][COLUMNS], turned[ROWS][COLUMNS], b[COLUMNS][ROWS];
#pragma xmp nodes p[*]
#pragma xmp template t[ROWS][COLUMNS]
#pragma xmp template s[COLUMNS][ROWS]
#pragma xmp distribute t[block][*] onto p
#pragma xmp distribute s[cyclic][*] onto p
#pragma xmp align a[i][j] with t[i][j]
#pragma xmp align turned[i][j] with s[j][i]
#pragma xmp align b[j][i] with s[j][i]
#pragma xmp acc replicate(a, turned, b)

int main(void) {
  long sum = 0;
#pragma xmp loop(i, j) on t[i][j] acc
  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < COLUMNS; j++) {
      a[i][j] = 1000L * i + j;
    }
  }
#pragma xmp acc replicate_sync out(a)
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
#pragma xmp acc replicate_sync in(turned)
#pragma xmp loop(j, i) on s[j][i] acc
  for (int j = 0; j < COLUMNS; j++) {
    for (int i = 0; i < ROWS; i++) {
      b[j][i] = turned[i][j];
    }
  }
#pragma xmp loop(j, i) on s[j][i] acc reduction(+ : sum)
  for (int j = 0; j < COLUMNS; j++) {
    for (int i = 0; i < ROWS; i++) {
      sum += b[j][i] * (i + 3 * j);
    }
  }
#pragma xmp task on p[0]
  printf("sum %ld\n", sum);
  return 0;
}
