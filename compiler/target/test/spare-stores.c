// A kernel does not write back what it has just read, and writes where it cannot know.
// RUN: %kernel-ir %s -o %t.ll
// RUN: tutti-kernel --target=ptx %t.ll > %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %ptxas %t.ptx
#include "kernel.h"

// CHECK-LABEL: .entry smaller(
// CHECK:       setp.geu.f64 [[KEEPS:%p[0-9]+]]
// CHECK-NOT:   selp
// CHECK:       @[[KEEPS]] bra
// CHECK:       st.global.f64
KERNEL(smaller) {
  (void)lower, (void)upper, (void)total, (void)partials, (void)n, (void)arena;
  double *a = (double *)AT(out);
  const double b = *(const double *)AT(in);
  *a = b < *a ? b : *a;
}

// CHECK-LABEL: .entry larger(
// CHECK:       setp.gt.f64 [[KEEPS:%p[0-9]+]]
// CHECK-NOT:   selp
// CHECK:       @[[KEEPS]] bra
// CHECK:       st.global.f64
KERNEL(larger) {
  (void)lower, (void)upper, (void)total, (void)partials, (void)n, (void)arena;
  double *a = (double *)AT(out);
  const double b = *(const double *)AT(in);
  *a = *a > b ? *a : b;
}

// CHECK-LABEL: .entry least(
// CHECK-NOT:   min.s32
// CHECK:       setp.ge.s32 [[KEEPS:%p[0-9]+]]
// CHECK:       @[[KEEPS]] bra
// CHECK:       st.global.u32
KERNEL(least) {
  (void)lower, (void)upper, (void)total, (void)partials, (void)n, (void)arena;
  int *a = (int *)AT(out);
  const int b = *(const int *)AT(in);
  *a = b < *a ? b : *a;
}

// What was written in between may be the same place.
// CHECK-LABEL: .entry written(
// CHECK:       selp.f64
// CHECK:       st.global.f64
KERNEL(written) {
  (void)lower, (void)upper, (void)total, (void)partials, (void)n, (void)arena;
  double *a = (double *)AT(out);
  double *c = (double *)AT(in);
  const double old = *a;
  *c = 1.0;
  *a = (double)n < old ? (double)n : old;
}

// The number that is kept is another place's.
// CHECK-LABEL: .entry elsewhere(
// CHECK:       selp.f64
// CHECK:       st.global.f64
KERNEL(elsewhere) {
  (void)lower, (void)upper, (void)total, (void)partials, (void)arena;
  const double b = *(const double *)AT(in);
  *(double *)AT(out) = (double)n < b ? (double)n : b;
}
