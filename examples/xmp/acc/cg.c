// Conjugate gradients with a full matrix in blocks of rows, on devices: all that a step needs of
// other nodes is the direction, which comes by a reflect of its full shadow.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef N
#define N 120
#define STEPS 25
#endif

double a[N][N], x[N], r[N], d[N], q[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align a[i][*] with t[i]
#pragma xmp align[i] with t[i] ::x, r, d, q
#pragma xmp shadow d[*]
#pragma xmp acc replicate(a, x, r, d, q)

int main(void) {
  double rho = 0, sum = 0;
#pragma xmp loop on t[i] acc
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      a[i][j] = (i == j ? 1 + i % 500 : 0) + 1.0 / (1 + abs(i - j));
    }
  }
#pragma xmp loop on t[i] acc reduction(+ : rho)
  for (int i = 0; i < N; i++) {
    x[i] = 0;
    r[i] = d[i] = 1 + i % 7;
    rho += r[i] * r[i];
  }
  for (int step = 0; step < STEPS; step++) {
    double curve = 0, next = 0;
#pragma xmp reflect(d) acc
#pragma xmp loop on t[i] acc reduction(+ : curve)
    for (int i = 0; i < N; i++) {
      double product = 0;
      for (int j = 0; j < N; j++) {
        product += a[i][j] * d[j];
      }
      q[i] = product;
      curve += d[i] * product;
    }
    const double alpha = rho / curve;
#pragma xmp loop on t[i] acc reduction(+ : next)
    for (int i = 0; i < N; i++) {
      x[i] += alpha * d[i];
      r[i] -= alpha * q[i];
      next += r[i] * r[i];
    }
    if (next < 1e-20) {
      break;
    }
    const double beta = next / rho;
#pragma xmp loop on t[i] acc
    for (int i = 0; i < N; i++) {
      d[i] = r[i] + beta * d[i];
    }
    rho = next;
  }
#pragma xmp loop on t[i] acc reduction(+ : sum)
  for (int i = 0; i < N; i++) {
    sum += x[i] * (1 + i % 3);
  }
#pragma xmp task on p[0]
  printf("sum %.9g\n", sum);
  return 0;
}
