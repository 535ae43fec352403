// A 2-D stencil over blocks in both dimensions, with sizes that no number of nodes divides.
#include <math.h>
#include <stdio.h>

#define ROWS 37
#define COLUMNS 53

double u[ROWS][COLUMNS], next[ROWS][COLUMNS];
#pragma xmp nodes p[*][1]
#pragma xmp template t[ROWS][COLUMNS]
#pragma xmp distribute t[block][block] onto p
#pragma xmp align[j][i] with t[j][i] ::u, next
#pragma xmp shadow u[1][1 : 2]

static void step(void) {
#pragma xmp reflect(u)
#pragma xmp loop on t[j][i]
  for (int j = 1; j < ROWS - 1; j++) {
    for (int i = 1; i <= COLUMNS - 3; i++) {
      next[j][i] = (u[j - 1][i - 1] + u[j + 1][i + 2] + 2 * u[j][i]) / 4;
    }
  }
#pragma xmp loop(i, j) on t[j][i]
  for (int i = COLUMNS - 3; i > 0; i -= 1) {
    for (int j = ROWS - 2; j >= 1; --j) {
      u[j][i] = next[j][i];
    }
  }
}

int main() {
  double sum = 100, most = -1;
  int row = -1, column = -1;
#pragma xmp loop on t[j][i]
  for (int j = 0; j < ROWS; j++) {
    for (int i = 0; i < COLUMNS; i++) {
      u[j][i] = sin(j * 0.3) * cos(i * 0.2);
    }
  }
  for (int k = 0; k < 20; k++) {
    step();
  }
#pragma xmp loop on t[j][i] reduction(+ : sum) reduction(firstmax : most / row, column /)
  for (int j = 0; j < ROWS; j++) {
    for (int i = 0; i < COLUMNS; i++) {
      double value = fabs(u[j][i]);
      sum += value;
      if (value > most) {
        most = value;
        row = j;
        column = i;
      }
    }
  }
#pragma xmp task on p[0][0]
  printf("%.12f %.12f %d %d\n", sum, most, row, column);
}
