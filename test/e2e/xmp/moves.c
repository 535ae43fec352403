// gmove between mappings, and array assignments; without pragmas, loops do the same.
#include <stdio.h>

#define N 40

int a[N][N], b[N][N], row[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp template s[N]
#pragma xmp distribute t[block] onto p
#pragma xmp distribute s[cyclic(2)] onto p
#pragma xmp align a[i][*] with t[i]
#pragma xmp align b[*][j] with s[j]

int main(void) {
  long sum = 0;
#pragma xmp loop on t[i]
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      a[i][j] = i * 100 + j;
    }
  }
#ifdef _XCALABLEMP
#pragma xmp gmove
  b[:][:] = a[:][:];
#pragma xmp gmove
  row [0:10] = b[3] [5:10:3];
#pragma xmp array on t[4 : 8]
  a [4:8] [2:3] = -1;
  row [11:5] = row [10:5];
#pragma xmp array on t[3]
  a[3] [5:4] = -7;
#else
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      b[i][j] = a[i][j];
    }
  }
  for (int k = 0; k < 10; k++) {
    row[k] = b[3][5 + 3 * k];
  }
  for (int i = 4; i < 12; i++) {
    for (int j = 2; j < 5; j++) {
      a[i][j] = -1;
    }
  }
  for (int k = 15; k > 10; k--) {
    row[k] = row[k - 1];
  }
  for (int j = 5; j < 9; j++) {
    a[3][j] = -7;
  }
#endif
#pragma xmp loop on s[j] reduction(+ : sum)
  for (int j = 0; j < N; j++) {
    for (int i = 0; i < N; i++) {
      sum += b[i][j] * (i + 3 * j);
    }
  }
#pragma xmp loop on t[i] reduction(+ : sum)
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      sum += a[i][j];
    }
  }
  for (int i = 0; i < N; i++) {
    sum = sum * 3 + row[i];
  }
#pragma xmp task on p[0]
  printf("%ld\n", sum);
  return 0;
}
