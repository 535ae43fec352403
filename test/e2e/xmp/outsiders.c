// An array on the first node alone: the others execute its directives, too, and have nothing of it.
#include <stdio.h>

#pragma xmp nodes world[*]
#pragma xmp nodes first[1] = world[0 : 1]
#pragma xmp template t[14]
#pragma xmp distribute t[cyclic(4)] onto first
static long a[14][3];
#pragma xmp align a[i][*] with t[i]

int main(void) {
  long sum = 0;
#pragma xmp loop on t[i]
  for (int i = 0; i < 14; ++i) {
    a[i][1] = i;
  }
#ifdef _XCALABLEMP
#pragma xmp array on t[5]
  a[5] [0:3] = a[5] [0:3] * 2 + 40;
#else
  for (int j = 0; j < 3; ++j) {
    a[5][j] = a[5][j] * 2 + 40;
  }
#endif
#pragma xmp loop on t[i]
  for (int i = 0; i < 14; ++i) {
    sum += a[i][1];
  }
#pragma xmp reduction(+ : sum)
#pragma xmp task on world[0]
  printf("%ld\n", sum);
  return 0;
}
