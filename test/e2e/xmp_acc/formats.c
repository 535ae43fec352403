// Loops on devices over all formats, with and without an offset, and parameters.
#include <stdio.h>
#define N 131
int a[N], b[N + 5], d[N + 5][3];
#pragma xmp nodes p[*]
#pragma xmp template ta[N]
#pragma xmp template tb[N + 5]
#pragma xmp distribute ta[cyclic] onto p
#pragma xmp distribute tb[cyclic(4)] onto p
#pragma xmp align a[i] with ta[i]
#pragma xmp align b[i] with tb[i]
#pragma xmp align d[i][*] with tb[i]

static void change(int v[N], int by) {
#pragma xmp align v[i] with ta[i]
#pragma xmp acc replicate (v)
  {
#pragma xmp acc replicate_sync in (v)
#pragma xmp loop on ta[i] acc
    for (int i = 3; i < N; i += 2) {
      v[i] += by * i;
    }
#pragma xmp acc replicate_sync out (v)
  }
}

int main(void) {
  long sum = 0;
  int i;
#pragma xmp acc replicate (a, b, d)
  {
#pragma xmp acc replicate_sync in (a, b, d)
#pragma xmp loop on ta[i] acc
    for (i = 0; i < N; i++) {
      a[i] = i * 3;
    }
#pragma xmp loop on tb[i + 2] acc
    for (i = 1; i < N; i += 3) {
      b[i + 2] = i;
      d[i + 2][i % 3] = i;
    }
#pragma xmp loop on tb[i] acc
    for (i = N - 1; i >= 0; i--) {
      b[i] += i % 3 == 0 ? 0 : 1;
    }
#pragma xmp acc replicate_sync out (a, b) out (d)
  }
  change(a, 7);
#pragma xmp loop on ta[i] reduction(+ : sum)
  for (i = 0; i < N; i++) {
    sum += a[i] * (i % 5);
  }
#pragma xmp loop on tb[i + 2] reduction(+ : sum)
  for (i = 1; i < N; i += 3) {
    sum += b[i + 2] * 2 + d[i + 2][i % 3];
  }
#pragma xmp task on p[0]
  printf("%ld\n", sum);
  return 0;
}
