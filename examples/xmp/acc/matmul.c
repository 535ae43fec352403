// A product of matrices in blocks of rows, on devices: the right factor comes to all nodes by a
// reflect of its full shadow.
#include <stdio.h>

#ifndef N
#define N 144
#define TIMES 1
#endif

double a[N][N], b[N][N], c[N][N];
#pragma xmp nodes p[*]
#pragma xmp template t[N][N]
#pragma xmp distribute t[block][*] onto p
#pragma xmp align[i][j] with t[i][j] ::a, b, c
#pragma xmp shadow b[*][0]
#pragma xmp acc replicate(a, b, c)

int main(void) {
  double sum = 0;
#pragma xmp loop(i, j) on t[i][j] acc
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      a[i][j] = (i * 7 + j * 3) % 11;
      b[i][j] = (i + j * 5) % 13;
    }
  }
#pragma xmp reflect(b) acc
  for (int time = 0; time < TIMES; time++) {
#pragma xmp loop(i, j) on t[i][j] acc num_threads(16, 16)
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++) {
        double product = 0;
        for (int k = 0; k < N; k++) {
          product += a[i][k] * b[k][j];
        }
        c[i][j] = product;
      }
    }
  }
#pragma xmp loop(i, j) on t[i][j] acc reduction(+ : sum)
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      sum += c[i][j] * (1 + (i + 2 * j) % 5);
    }
  }
#pragma xmp task on p[0]
  printf("sum %.10g\n", sum);
  return 0;
}
