// Two arrays of one mapping are under way at a time, and nodes wait for the later one first, some
// late: messages of the second dimension may not be taken for those of the other array.
#include <stdio.h>
#include <unistd.h>
#ifdef _XCALABLEMP
#include <xmp.h>
#endif
#define N 36

int main(void) {
#ifdef _XCALABLEMP
  int across = xmp_num_nodes() % 2 == 0 ? 2 : 1;
#endif
#pragma xmp nodes p[*][across]
#pragma xmp template t[N][N]
#pragma xmp distribute t[block][block] onto p
  static double u[N][N], v[N][N], a[N][N], b[N][N];
#pragma xmp align[i][j] with t[i][j] ::u, v, a, b
#pragma xmp shadow[1][1] ::u, v
  unsigned late = 1;
#ifdef _XCALABLEMP
  late += (unsigned)xmp_node_num();
#endif
  double sum = 0;
#pragma xmp loop(i, j) on t[i][j]
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      u[i][j] = (i * 7 + j * 3) % 11;
      v[i][j] = (i * 5 + j * 13) % 17;
    }
  }
  for (int step = 0; step < 60; step++) {
#pragma xmp reflect(u) async(1)
    late = late * 1103515245u + 12345u;
    if (late >> 31) {
      usleep(late >> 22 & 511);
    }
#pragma xmp reflect(v) async(2)
#pragma xmp wait_async(2)
#pragma xmp wait_async(1)
#pragma xmp loop(i, j) on t[i][j]
    for (int i = 1; i < N - 1; i++) {
      for (int j = 1; j < N - 1; j++) {
        a[i][j] = (u[i - 1][j - 1] + u[i + 1][j + 1] + v[i - 1][j + 1] + v[i][j - 1]) / 4;
        b[i][j] = (v[i - 1][j - 1] + v[i + 1][j + 1] + u[i - 1][j + 1] + u[i][j + 1]) / 4;
      }
    }
#pragma xmp loop(i, j) on t[i][j]
    for (int i = 1; i < N - 1; i++) {
      for (int j = 1; j < N - 1; j++) {
        u[i][j] = a[i][j];
        v[i][j] = b[i][j];
      }
    }
  }
#pragma xmp loop(i, j) on t[i][j] reduction(+ : sum)
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      sum += u[i][j] * (1 + i % 5) + v[i][j] * (1 + j % 7);
    }
  }
#pragma xmp task on p[0][0]
  printf("sum %.10g\n", sum);
  return 0;
}
