// Figure 3 of the paper on XcalableMP-ACC as it is printed, completed to a program.
#include <stdio.h>
#include <stdlib.h>
#define N 1000
#pragma xmp nodes p(*)
#pragma xmp template t(0 : N - 1)
#pragma xmp distribute t(block) onto p
#pragma xmp align [i] with t(i) :: a, b
#pragma xmp shadow a[*]
int a[N], b[N];
void main(void) {
  int i, x = 0;
#pragma xmp loop on t(i)
  for (i = 0; i < N; i++)
    a[i] = i;
#pragma xmp reflect a
#pragma xmp acc replicate (a, b)
  {
#pragma xmp acc replicate_sync in (a)
#pragma xmp loop on t(i) acc
    for (i = 0; i < N; i++) {
      b[i] = x;
      for (int j = 0; j < N; j++) {
        b[i] += a[j];
      }
    }
#pragma xmp acc replicate_sync out (b)
  } // #pragma xmp acc replicate
  long sum = 0;
#pragma xmp loop on t(i) reduction(+ : sum)
  for (i = 0; i < N; i++)
    sum += (i % 7 + 1) * (long)b[i];
#pragma xmp task on p(1)
  printf("%ld\n", sum);
  exit(0);
} // main()
