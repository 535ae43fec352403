// Statements that directives own, alone in a block: programs write them so.
#include <stdio.h>

#define N 13
double a[N], b[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align [i] with t[i] :: a, b

int main(void) {
  double sum = 0, one = 0;
  if (N > 1)
#pragma xmp loop on t[i]
  {
    for (int i = 0; i < N; i++)
      a[i] = i;
  }
  else
    return 1;
  if (N > 2)
#pragma xmp gmove
  {
    one = a[5];
  }
  else
    return 2;
#pragma xmp array on t[:]
  {
#ifdef _XCALABLEMP
    b[:] = a[:] + 1;
#else
    for (int i = 0; i < N; i++)
      b[i] = a[i] + 1;
#endif
  }
#pragma xmp loop on t[i] reduction(+ : sum)
  {
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < N; i++)
      sum += b[i];
  }
#pragma xmp task on p[0]
  printf("%g %g\n", sum, one);
  return 0;
}
