// Arrays that outlast the call of the function that aligns them, and so do their values.
#include <stdio.h>

#define N 14

#pragma xmp nodes p[*]
int file[N];

static int step(int k) {
  static int own[N];
  static double rows[N][3];
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align own[i] with t[i]
#pragma xmp shadow own[1]
#pragma xmp align rows[i][*] with t[i]
#pragma xmp shadow rows[1][0]
#pragma xmp align file[i] with t[i]
  int sum = 0;
#pragma xmp loop on t[i]
  for (int i = 0; i < N; i++) {
    own[i] += k;
    rows[i][1] += 2 * k;
    file[i] += i;
  }
#pragma xmp reflect(own, rows)
#pragma xmp loop on t[i] reduction(+ : sum)
  for (int i = 1; i < N; i++) {
    sum += own[i - 1] + (rows[i - 1])[1] * i + file[i];
  }
  return sum;
}

int main(void) {
  for (int k = 1; k < 5; k++) {
    const int sum = step(k);
#pragma xmp task on p[0]
    printf("%d\n", sum);
  }
  return 0;
}
