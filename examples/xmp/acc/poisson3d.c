// Poisson's equation in a box on the devices of each node, by the Mehrstellen formula of 19 points.
#include <math.h>
#include <stdio.h>
#ifdef _XCALABLEMP
#include <xmp.h>
#endif

#ifndef N
#define N 40
#define STEPS 30
#endif

int main(void) {
#ifdef _XCALABLEMP
  int across = xmp_num_nodes() % 2 == 0 ? 2 : 1;
  int deep = xmp_num_nodes() % 3 == 0 ? 3 : 1;
#endif
#pragma xmp nodes p[*][across][deep]
#pragma xmp template t[N][N][N]
#pragma xmp distribute t[block][block][block] onto p
  static double u[N][N][N], v[N][N][N], f[N][N][N];
#pragma xmp align[i][j][k] with t[i][j][k] ::u, v, f
#pragma xmp shadow u[1][1][1]
  double sum = 0;

#pragma xmp loop(i, j, k) on t[i][j][k]
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      for (int k = 0; k < N; k++) {
        u[i][j][k] = 0;
        f[i][j][k] = sin(0.2 * i) * cos(0.3 * j) + 0.01 * k;
      }
    }
  }
#pragma xmp acc replicate(u, v, f)
  {
#pragma xmp acc replicate_sync in(u, f)
    for (int step = 0; step < STEPS; step++) {
#pragma xmp reflect(u) acc
#pragma xmp loop(i, j, k) on t[i][j][k] acc
      for (int i = 1; i < N - 1; i++) {
        for (int j = 1; j < N - 1; j++) {
          for (int k = 1; k < N - 1; k++) {
            const double faces = u[i - 1][j][k] + u[i + 1][j][k] + u[i][j - 1][k] + u[i][j + 1][k] +
                                 u[i][j][k - 1] + u[i][j][k + 1];
            const double edges = u[i - 1][j - 1][k] + u[i - 1][j + 1][k] + u[i + 1][j - 1][k] +
                                 u[i + 1][j + 1][k] + u[i - 1][j][k - 1] + u[i - 1][j][k + 1] +
                                 u[i + 1][j][k - 1] + u[i + 1][j][k + 1] + u[i][j - 1][k - 1] +
                                 u[i][j - 1][k + 1] + u[i][j + 1][k - 1] + u[i][j + 1][k + 1];
            v[i][j][k] = (2 * faces + edges + 6 * f[i][j][k]) / 24;
          }
        }
      }
#pragma xmp loop(i, j, k) on t[i][j][k] acc
      for (int i = 1; i < N - 1; i++) {
        for (int j = 1; j < N - 1; j++) {
          for (int k = 1; k < N - 1; k++) {
            u[i][j][k] = v[i][j][k];
          }
        }
      }
    }
#pragma xmp acc replicate_sync out(u)
  }
#pragma xmp loop(i, j, k) on t[i][j][k] reduction(+ : sum)
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      for (int k = 0; k < N; k++) {
        sum += u[i][j][k] * (1 + i + 2 * j + 3 * k);
      }
    }
  }
#pragma xmp task on p[0][0][0]
  printf("sum %.10g\n", sum);
  return 0;
}
