// Variables of distributed loops that functions read, or somebody through a pointer. OpenMP's loops
// have variables of their own.
#include <stdio.h>

#define N 21

#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp template c[N]
#pragma xmp distribute t[cyclic(2)] onto p
#pragma xmp distribute c[cyclic] onto p
int a[N], b[N], i;
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with c[i]

static int three_times(void) { return i * 3; }

int main(void) {
  int k, sum = 0, *const seen = &k;
#pragma xmp loop on t[i]
  for (i = 0; i < N; i++) {
    a[i] = three_times();
  }
#pragma xmp loop on c[i]
  for (i = 0; i < N; i++) {
    b[i] = three_times();
  }
#pragma xmp loop on t[k]
  for (k = N - 1; k >= 0; k--) {
    a[k] += *seen * 5;
  }
#pragma xmp loop on t[i] reduction(+ : sum)
  for (i = 0; i < N; i++) {
    sum += a[i] * three_times();
  }
#pragma xmp loop on t[i]
#pragma omp parallel for
  for (i = 0; i < N; i++) {
    a[i] += i;
  }
#pragma xmp loop on t[i] reduction(+ : sum)
  for (i = 0; i < N; i++) {
    sum += a[i];
  }
#pragma xmp loop on c[k] reduction(+ : sum)
  for (k = 0; k < N; k++) {
    sum += b[k] * *seen;
  }
#pragma xmp task on p[0]
  printf("%d\n", sum);
  return 0;
}
