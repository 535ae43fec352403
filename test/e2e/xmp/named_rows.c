// Array assignments whose section lies along no distributed dimension: the row's owners do them,
// and no other node writes anything, be it a shadow or what lies beside its part.
#include <stdio.h>

#define N 24

long a[N][3], b[N][3], few[N][3];
#pragma xmp nodes p[*]
#pragma xmp nodes first[1] = p[0 : 1]
#pragma xmp template t[N]
#pragma xmp template s[N]
#pragma xmp distribute t[block] onto p
#pragma xmp distribute s[block] onto first
#pragma xmp align a[i][*] with t[i]
#pragma xmp align b[i][*] with t[i]
#pragma xmp align few[i][*] with s[i]
#pragma xmp shadow a[*][0]

int main(void) {
  long sum = 0, changed = 0;
#pragma xmp loop on t[i]
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < 3; j++) {
      a[i][j] = b[i][j] = 10 * i + j;
    }
  }
  for (int row = 0; row < N; row += 5) {
#ifdef _XCALABLEMP
#pragma xmp array on t[row]
    a[row] [0:3] = a[row] [0:3] * 2 + 1;
#pragma xmp array on t[row]
    b[row][:] = row;
#pragma xmp array on s[row]
    few[row][:] = -row;
#else
    for (int j = 0; j < 3; j++) {
      a[row][j] = a[row][j] * 2 + 1;
      b[row][j] = row;
      few[row][j] = -row;
    }
#endif
  }
  // A node has all rows of `a`: those of others in its shadow, which nothing has written.
  for (int row = 0; row < N; row += 5) {
    changed += a[row][1] == 2 * (10 * row + 1) + 1;
  }
#pragma xmp reduction(+ : changed)
#pragma xmp loop on t[i] reduction(+ : sum)
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < 3; j++) {
      sum += (i + 1) * (a[i][j] + 7 * b[i][j]);
    }
  }
#pragma xmp task on p[0]
  {
    for (int i = 0; i < N; i++) {
      sum += (i + 3) * few[i][2];
    }
    printf("%ld %ld\n", sum, changed);
  }
  return 0;
}
