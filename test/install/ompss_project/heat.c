#include <stdio.h>
#if __has_include(<nanos6.h>)
#include <nanos6.h>
#else
static int nanos6_in_final(void) { return 0; }
#endif

#define N 64
#define BLOCK 8

int main(void) {
  static double a[N + 2], b[N + 2];
  a[0] = b[0] = 1.0;
  for (int step = 0; step < 50; step++) {
    double *from = step % 2 ? b : a, *to = step % 2 ? a : b;
    for (int i = 1; i <= N; i += BLOCK) {
#pragma oss task in(from[i - 1; BLOCK + 2]) out(to[i; BLOCK])
      for (int k = i; k < i + BLOCK; k++) {
        to[k] = 0.5 * (from[k - 1] + from[k + 1]);
      }
    }
  }
#pragma oss taskwait
  double sum = 0;
  for (int i = 0; i < N + 2; i++) {
    sum += a[i];
  }
  printf("%.9f %d\n", sum, nanos6_in_final());
}
