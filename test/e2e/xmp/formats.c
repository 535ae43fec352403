// Cyclic and block dimensions, steps, offsets, automatic arrays, parameters and pointers.
#include <stdio.h>
#include <stdlib.h>
#ifdef _XCALABLEMP
#include <xmp.h>
#else
#define xmp_malloc(descriptor, count) malloc((count) * sizeof(long))
#endif

int n = 101;
#pragma xmp nodes p[*]
#pragma xmp template t(0 : 100)
#pragma xmp template s(0 : 100)
#pragma xmp template v( :)
#pragma xmp distribute t(cyclic(3)) onto p
#pragma xmp distribute s(cyclic) onto p
#pragma xmp distribute v(block) onto p

static long total(long a[98], int step) {
#pragma xmp align a[i] with t(i + 3)
  long sum = 7;
#pragma xmp loop on t(i + 3) reduction(+ : sum)
  for (int i = 0; i < 98; i += step) {
    sum += a[i] * i;
  }
  return sum;
}

static long one(int k) {
  long own[101];
#pragma xmp align own[i] with s(i)
#pragma xmp loop on s(i)
  for (int i = k; i < 101; i += 2) {
    own[i] = i * k;
  }
  long sum = 0;
#pragma xmp loop on s(i) reduction(+ : sum)
  for (int i = k; i < 101; i += 2) {
    sum += own[i] % 11;
  }
  return sum;
}

int main(void) {
  long a[98], result = 0;
  long *pointer;
#pragma xmp align a[i] with t(i + 3)
#pragma xmp template_fix v(0 : 100)
#pragma xmp align pointer[i] with v(i)
#ifdef _XCALABLEMP
  pointer = (long *)xmp_malloc(xmp_desc_of(pointer), n);
#else
  pointer = (long *)xmp_malloc(0, n);
#endif
#pragma xmp loop on t(i + 3)
  for (int i = 97; i >= 0; i--) {
    a[i] = i * i % 13;
  }
#pragma xmp loop on v(i)
  for (int i = 0; i < n; ++i) {
    pointer[i] = 2 * i;
  }
  for (int step = 1; step < 8; step++) {
    result = result * 31 + total(a, step);
  }
  for (int k = 0; k < 5; k++) {
    result = result * 31 + one(k);
  }
  long most = -1, least = 1 << 30;
#pragma xmp loop on v(i) reduction(max : most) reduction(min : least)
  for (int i = 3; i < n - 1; ++i) {
    if (pointer[i] % 17 > most) {
      most = pointer[i] % 17;
    }
    if (pointer[i] < least) {
      least = pointer[i];
    }
  }
  free(pointer);
  int seen = 0;
#pragma xmp task on p(1)
  seen = 1;
#pragma xmp bcast(seen)
#pragma xmp task on p(1)
  {
    printf("%ld %ld %ld %d\n", result, most, least, seen);
    return 0;
  }
  return 0;
}
