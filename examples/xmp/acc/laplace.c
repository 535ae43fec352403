// Laplace's equation on the devices of each node: only borders leave them, by reflect ... acc.
#include <math.h>
#include <stdio.h>
#ifdef _XCALABLEMP
#include <xmp.h>
#endif

#ifndef ROWS
#define ROWS 128
#define COLUMNS 192
#define STEPS 200
#endif

int main(void) {
#ifdef _XCALABLEMP
  int across = xmp_num_nodes() % 2 == 0 ? 2 : 1;
#endif
#pragma xmp nodes p[*][across]
#pragma xmp template t[ROWS][COLUMNS]
#pragma xmp distribute t[block][block] onto p
  static double u[ROWS][COLUMNS], old[ROWS][COLUMNS];
#pragma xmp align u[i][j] with t[i][j]
#pragma xmp align old[i][j] with t[i][j]
#pragma xmp shadow old[1][1]
  double change = 0, sum = 0;

#pragma xmp loop(i, j) on t[i][j]
  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < COLUMNS; j++) {
      u[i][j] = i == 0 ? sin(3.14159265358979 * j / COLUMNS) : 0;
      old[i][j] = u[i][j];
    }
  }
#pragma xmp acc replicate(u, old)
  {
#pragma xmp acc replicate_sync in(u, old)
    for (int step = 0; step < STEPS; step++) {
#pragma xmp reflect(old) acc
#pragma xmp loop(i, j) on t[i][j] acc
      for (int i = 1; i < ROWS - 1; i++) {
        for (int j = 1; j < COLUMNS - 1; j++) {
          u[i][j] = 0.25 * (old[i - 1][j] + old[i + 1][j] + old[i][j - 1] + old[i][j + 1]);
        }
      }
      change = 0;
#pragma xmp loop(i, j) on t[i][j] acc reduction(max : change)
      for (int i = 1; i < ROWS - 1; i++) {
        for (int j = 1; j < COLUMNS - 1; j++) {
          change = fmax(change, fabs(u[i][j] - old[i][j]));
          old[i][j] = u[i][j];
        }
      }
    }
#pragma xmp acc replicate_sync out(u)
  }
#pragma xmp loop(i, j) on t[i][j] reduction(+ : sum)
  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < COLUMNS; j++) {
      sum += u[i][j];
    }
  }
#pragma xmp task on p[0][0]
  printf("change %.10f, sum %.10f\n", change, sum);
  return 0;
}
