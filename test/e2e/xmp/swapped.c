// Pointers that are assigned to one another: parameters between loops and by a function, pointers
// of the file in a loop.
#include <stdio.h>
#include <stdlib.h>
#ifdef _XCALABLEMP
#include <xmp.h>
#endif

#define N 16
#define M 7

#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
double u[N], v[N];
double (*x)[M], (*y)[M];
#pragma xmp align[i] with t[i] ::u, v
#pragma xmp shadow[1] ::u, v
#pragma xmp align[i][*] with t[i] ::x, y

static void exchange(double **a, double **b) {
  double *const c = *a;
  *a = *b;
  *b = c;
}

static double relax(double *a, double b[N], int calls) {
#pragma xmp align[i] with t[i] ::a, b
#pragma xmp shadow[1] ::a, b
  double sum = 0;
  for (int step = 0; step < 5; step++) {
#pragma xmp reflect(a)
#pragma xmp loop on t[i]
    for (int i = 1; i < N - 1; i++) {
      b[i] = 0.5 * (a[i - 1] + a[i + 1]) + step;
    }
    if (calls) {
      exchange(&a, &b);
    } else {
      double *const c = a;
      a = b;
      b = c;
    }
  }
#pragma xmp loop on t[i] reduction(+ : sum)
  for (int i = 0; i < N; i++) {
    sum += a[i] * i;
  }
  return sum;
}

static double shift(void) {
  double sum = 0;
#pragma xmp loop on t[k] reduction(+ : sum)
  for (int k = 0; k < N; k++) {
    for (int step = 0; step < 3; step++) {
      for (int i = 1; i < M - 1; i++) {
        y[k][i] = x[k][i - 1] + 2 * x[k][i + 1];
      }
      double(*const z)[M] = x;
      x = y;
      y = z;
    }
    sum += x[k][3];
  }
  return sum;
}

int main(void) {
#ifdef _XCALABLEMP
  x = xmp_malloc(xmp_desc_of(x), N, M);
  y = xmp_malloc(xmp_desc_of(y), N, M);
#else
  x = malloc(sizeof(double[N][M]));
  y = malloc(sizeof(double[N][M]));
#endif
#pragma xmp loop on t[i]
  for (int i = 0; i < N; i++) {
    u[i] = v[i] = i % 5;
    for (int j = 0; j < M; j++) {
      x[i][j] = y[i][j] = i * j % 7;
    }
  }
  const double first = relax(u, v, 0), second = relax(u, v, 1), third = shift();
#pragma xmp task on p[0]
  printf("%.6f %.6f %.6f\n", first, second, third);
  return 0;
}
