// A product of matrices in blocks of rows: each row of the right factor comes to all nodes by
// gmove.
#include <stdio.h>

#ifndef N
#define N 144
#endif
#ifndef TIMES
#define TIMES 1
#endif

double a[N][N], b[N][N], c[N][N], row[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align[i][*] with t[i] ::a, b, c

int main(void) {
  double sum = 0;
#pragma xmp loop on t[i]
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      a[i][j] = (i * 7 + j * 3) % 11;
      b[i][j] = (i + j * 5) % 13;
      c[i][j] = 0;
    }
  }
  for (int time = 0; time < TIMES; time++) {
    for (int k = 0; k < N; k++) {
#ifdef _XCALABLEMP
#pragma xmp gmove
      row[:] = b[k][:];
#else
      for (int j = 0; j < N; j++) {
        row[j] = b[k][j];
      }
#endif
#pragma xmp loop on t[i]
      for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
          c[i][j] += a[i][k] * row[j];
        }
      }
    }
  }
#pragma xmp loop on t[i] reduction(+ : sum)
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      sum += c[i][j] * (1 + (i + 2 * j) % 5);
    }
  }
#pragma xmp task on p[0]
  printf("sum %.10g\n", sum);
  return 0;
}
