// The first and the last iteration that have an extreme, where other loops stand around and between
// those that are distributed.
#include <stdio.h>

#define N 9

#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[cyclic] onto p
int a[4][N][3];
#pragma xmp align a[*][i][*] with t[i]

int main(void) {
  int most = -1, least = 99, first[3], last[3];
#pragma xmp loop(i) on t[i]
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < 4; j++) {
      for (int k = 0; k < 3; k++) {
        a[j][i][k] = (i * 5 + j * 3 + k * 7) % 4;
      }
    }
  }
#pragma xmp loop(i) on t[i] reduction(firstmax : most / first /) reduction(lastmin : least / last /)
  for (int k = 2; k >= 0; k--) {
    for (int j = 0; j < 4; j += 2) {
      for (int i = 0; i < N; i++) {
        if (most < a[j][i][k]) {
          most = a[j][i][k];
          first[0] = i, first[1] = j, first[2] = k;
        }
        if (least >= a[j][i][k]) {
          least = a[j][i][k];
          last[0] = i, last[1] = j, last[2] = k;
        }
      }
    }
  }
#pragma xmp task on p[0]
  printf("%d at %d %d %d, %d at %d %d %d\n", most, first[0], first[1], first[2], least, last[0],
         last[1], last[2]);
  return 0;
}
