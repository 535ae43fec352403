// Sections of local arrays, also downwards; without pragmas, loops do the same.
#include <stdio.h>

int plane[3][5], line[5], cube[2][3][4];

int main(void) {
  int down = -2, count = 5;
  int sized[count];
#pragma xmp nodes p[*]
  for (int i = 0; i < 5; i++) {
    line[i] = i;
    sized[i] = 9;
  }
#ifdef _XCALABLEMP
  // clang-format off
  plane[:][:] = 1;
  plane[1][:] = line[::-1];
  plane[:][4] = line[:3];
  line[::-1] = line[:];
  sized[::down] = line[0:3];
  cube[:][1:][::2] = 7;
  cube[1][::-1][:] = plane[:][0:4];
  // clang-format on
#else
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 5; j++) {
      plane[i][j] = i == 1 ? 4 - j : 1;
    }
    plane[i][4] = i;
  }
  for (int i = 0; i < 5; i++) {
    line[i] = 4 - i;
  }
  for (int k = 0; k < 3; k++) {
    sized[4 + down * k] = line[k];
  }
  for (int i = 1; i < 3; i++) {
    cube[0][i][0] = cube[0][i][2] = 7;
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 4; j++) {
      cube[1][2 - i][j] = plane[i][j];
    }
  }
#endif
  long sum = 0;
  for (int i = 0; i < 24; i++) {
    sum = sum * 3 + cube[i / 12][i / 4 % 3][i % 4] + (i < 15 ? plane[i / 5][i % 5] : 0) +
          (i < 5 ? line[i] * 5 + sized[i] : 0);
  }
#pragma xmp task on p[0]
  printf("%ld\n", sum);
  return 0;
}
