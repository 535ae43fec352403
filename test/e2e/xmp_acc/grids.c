// Nests of two and three dimensions, ragged blocks, and borders that go from copy to copy.
#include <stdio.h>
#define R 37
#define C 29
#define Q 5
double u[R][C], uu[R][C];
float w[Q][R][C];
int g[C][R];
#pragma xmp nodes p[*][1]
#pragma xmp nodes q[*]
#pragma xmp template t[R][C]
#pragma xmp template s[R]
#pragma xmp distribute t[block][block] onto p
#pragma xmp distribute s[block] onto q
#pragma xmp align u[j][i] with t[j][i]
#pragma xmp align uu[j][i] with t[j][i]
#pragma xmp align w[*][j][*] with s[j]
#pragma xmp align g[*][j] with s[j]
#pragma xmp shadow uu[1][1]
#pragma xmp shadow g[0][2 : 1]
#pragma xmp acc replicate(u, uu)

static void step(void) {
#pragma xmp loop(j, i) on t[j][i] acc num_threads(8, 8)
  for (int j = 0; j < R; j++) {
    for (int i = 0; i < C; i++) {
      uu[j][i] = u[j][i];
    }
  }
#pragma xmp reflect(uu) acc
#pragma xmp loop(j, i) on t[j][i] acc num_threads(8, 8)
  for (int j = 1; j < R - 1; j++) {
    for (int i = C - 2; i > 0; i--) {
      u[j][i] = (uu[j - 1][i] + uu[j + 1][i] + uu[j][i - 1] + uu[j][i + 1]) / 4;
    }
  }
}

int main(void) {
  int j;
#pragma xmp loop(j, i) on t[j][i]
  for (j = 0; j < R; j++) {
    for (int i = 0; i < C; i++) {
      u[j][i] = (j * 7 + i * 3) % 17;
    }
  }
#pragma xmp acc replicate_sync in(u)
  for (int k = 0; k < 9; k++) {
    step();
  }
#pragma xmp acc replicate_sync out(u)
  double sum = 0, norm = 0;
#pragma xmp loop(j, i) on t[j][i] reduction(+ : sum)
  for (j = 0; j < R; j++) {
    for (int i = 0; i < C; i++) {
      sum += u[j][i] * ((i + j) % 5);
    }
  }
#pragma xmp loop(j, i) on t[j][i] acc reduction(+ : norm)
  for (j = 0; j < R; j++) {
    for (int i = 0; i < C; i++) {
      norm += (u[j][i] - uu[j][i]) * (u[j][i] - uu[j][i]);
    }
  }
  float most = 0;
#pragma xmp acc replicate(w, g)
  {
#pragma xmp loop(j) on s[j] acc num_threads(4, 4, 4)
    for (j = 0; j < R; j++) {
      for (int k = 0; k < Q; k++) {
        for (int i = 0; i < C; i++) {
          w[k][j][i] = k * j - i;
        }
      }
      for (int i = 0; i < C; i++) {
        g[i][j] = i * j;
      }
    }
#pragma xmp reflect(g) width(0, 2 : 1) acc
#pragma xmp loop(j) on s[j] acc reduction(max : most)
    for (j = 2; j < R - 1; j += 2) {
      for (int i = 0; i < C; i++) {
        for (int k = 0; k < Q; k++) {
          const float value = w[k][j][i] + g[i][j - 2] % 7 * g[i][j + 1];
          most = value > most ? value : most;
        }
      }
    }
  }
#pragma xmp task on q[0]
  printf("%.9g %.9g %g\n", sum, norm, most);
  return 0;
}
