// What directives move, exactly: the first argument chooses one, the second how often it is done.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 48
#define ROW 10

double line[N][ROW], grid[N][N];
long block[N], cyclic[N];
#pragma xmp nodes p[*]
#ifdef GRID
#pragma xmp nodes q[*][2]
#else
#pragma xmp nodes q[*][1]
#endif
#pragma xmp template t[N]
#pragma xmp template c[N]
#pragma xmp template u[N][N]
#pragma xmp distribute t[block] onto p
#pragma xmp distribute c[cyclic] onto p
#pragma xmp distribute u[block][block] onto q
#pragma xmp align line[i][*] with t[i]
#pragma xmp align grid[i][j] with u[i][j]
#pragma xmp align block[i] with t[i]
#pragma xmp align cyclic[i] with c[i]
#pragma xmp shadow line[3][0]
#pragma xmp shadow grid[1][1]

static void automatic(int k) {
  long own[N];
#pragma xmp align own[i] with c[i]
#pragma xmp loop on c[i]
  for (int i = 0; i < N; i++) {
    own[i] = i + k;
  }
#pragma xmp gmove
  block[:] = own[:];
}

static void step(const char *what, int k) {
  if (!strcmp(what, "rows")) {
#pragma xmp reflect(line)
  } else if (!strcmp(what, "narrow")) {
#pragma xmp reflect(line) width(1, 0)
  } else if (!strcmp(what, "grid")) {
#pragma xmp reflect(grid)
  } else if (!strcmp(what, "gmove")) {
#pragma xmp gmove
    cyclic[:] = block[:];
  } else if (!strcmp(what, "same")) {
#pragma xmp gmove
    block [4:20] = block [4:20];
  } else if (!strcmp(what, "task")) {
#pragma xmp task on p[0 : 2]
    {
      long sum = k;
#pragma xmp reduction(+ : sum)
#pragma xmp barrier
    }
  } else {
    automatic(k);
  }
}

int main(int argc, char **argv) {
#pragma xmp loop on t[i]
  for (int i = 0; i < N; i++) {
    block[i] = i;
  }
  for (int k = 0; k < atoi(argv[2]); k++) {
    step(argv[1], k);
  }
  return argc != 3;
}
