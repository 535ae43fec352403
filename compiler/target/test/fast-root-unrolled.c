// Reciprocal roots of eight iterations are computed side by side.
// RUN: %kernel-ir -ffast-math %s -o %t.ll
// RUN: tutti-kernel --target=ptx %t.ll > %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %ptxas %t.ptx
#include "kernel.h"
double sqrt(double);

// CHECK-COUNT-8: rsqrt.approx.ftz.f64
// CHECK:         bra
KERNEL(run) {
  const double *a = AT(in);
  double *b = AT(out);
  (void)total, (void)partials;
  FOR_ITEMS(i, 0, lower, upper) {
    double sum = 0;
    for (long j = 0; j < n; ++j) {
      sum += 1 / sqrt(a[j] + a[i]);
    }
    b[i] = sum;
  }
}
