// Two long kernels are translated in two parts: their text has one head, and what both parts use of
// libdevice is there twice, under two names.
// RUN: %kernel-ir %s -o %t.ll
// RUN: tutti-kernel --target=ptx %t.ll > %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %ptxas %t.ptx
#include "kernel.h"

double sin(double), pow(double, double);

// CHECK: .address_size
// CHECK-NOT: .address_size
// CHECK: .func {{.*}} __internal_accurate_pow{{$}}
// CHECK-NOT: .address_size
// CHECK: .visible .entry first(
// CHECK-NOT: .entry
// CHECK: .func {{.*}} __internal_accurate_pow_2{{$}}
// CHECK: .visible .entry second(
// CHECK-NOT: .entry
#define EIGHT(x) x x x x x x x x
#define LONG_KERNEL(name, exponent)                                                                \
  KERNEL(name) {                                                                                   \
    const double *a = AT(in);                                                                      \
    double *c = AT(out);                                                                           \
    (void)total, (void)partials;                                                                   \
    FOR_ITEMS(i, 0, lower, upper) {                                                                \
      double x = a[i];                                                                             \
      EIGHT(EIGHT(x = a[(long)x] * x + a[i + (long)x];))                                           \
      EIGHT(EIGHT(x = a[(long)x] + x * a[i - (long)x];))                                           \
      c[i] = sin(x) + pow(x, exponent) + n;                                                        \
    }                                                                                              \
  }

LONG_KERNEL(first, 0.3)
LONG_KERNEL(second, 0.7)
