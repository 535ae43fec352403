// Conjugate gradients with a full matrix in blocks of two dimensions. Vectors lie along its
// columns, or along its rows: partial products are added up over the nodes of a row, and gmove
// turns the result.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef _XCALABLEMP
#include <xmp.h>
#endif

#ifndef N
#define N 120
#define STEPS 25
#endif

int main(void) {
#ifdef _XCALABLEMP
  int across = xmp_num_nodes() % 2 == 0 ? 2 : 1;
#endif
#pragma xmp nodes p[*][across]
#pragma xmp nodes row[across] = p[*][0 : across]
#pragma xmp template t[N][N]
#pragma xmp distribute t[block][block] onto p
  static double a[N][N], product[N];
  static double x[N], r[N], d[N], q[N];
#pragma xmp align a[i][j] with t[i][j]
#pragma xmp align product[i] with t[i][*]
#pragma xmp align[j] with t[*][j] ::x, r, d, q
  double rho = 0, sum = 0;

#pragma xmp loop(i, j) on t[i][j]
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      a[i][j] = (i == j ? 1 + i % 500 : 0) + 1.0 / (1 + abs(i - j));
    }
  }
#pragma xmp loop on t[*][j] reduction(+ : rho)
  for (int j = 0; j < N; j++) {
    x[j] = 0;
    r[j] = d[j] = 1 + j % 7;
    rho += r[j] * r[j];
  }
  for (int step = 0; step < STEPS; step++) {
    double curve = 0, next = 0;
#pragma xmp loop on t[i][*]
    for (int i = 0; i < N; i++) {
      product[i] = 0;
    }
#pragma xmp loop(i, j) on t[i][j]
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++) {
        product[i] += a[i][j] * d[j];
      }
    }
#ifdef _XCALABLEMP
#pragma xmp reduction(+ : product) on row
#pragma xmp gmove
    q[:] = product[:];
#else
    for (int j = 0; j < N; j++) {
      q[j] = product[j];
    }
#endif
#pragma xmp loop on t[*][j] reduction(+ : curve)
    for (int j = 0; j < N; j++) {
      curve += d[j] * q[j];
    }
    const double alpha = rho / curve;
#pragma xmp loop on t[*][j] reduction(+ : next)
    for (int j = 0; j < N; j++) {
      x[j] += alpha * d[j];
      r[j] -= alpha * q[j];
      next += r[j] * r[j];
    }
    if (next < 1e-20) {
      break;
    }
    const double beta = next / rho;
#pragma xmp loop on t[*][j]
    for (int j = 0; j < N; j++) {
      d[j] = r[j] + beta * d[j];
    }
    rho = next;
  }
#pragma xmp loop on t[*][j] reduction(+ : sum)
  for (int j = 0; j < N; j++) {
    sum += x[j] * (1 + j % 3);
  }
#pragma xmp task on p[0][0]
  printf("sum %.9g\n", sum);
  return 0;
}
