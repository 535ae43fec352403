// Each kernel says where it begins to touch memory, one that only combines and one that touches
// none as well.
// RUN: %kernel-ir %s -o %t.ll
// RUN: tutti-kernel --target=ptx %t.ll > %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: sed -e 's/.version 6.3/.version 7.8/' -e 's/sm_70/sm_90/' \
// RUN:   -e 's/.. tutti: begin/griddepcontrol.wait;/' %t.ptx > %t.waits.ptx
// RUN: %ptxas -arch=sm_90 %t.waits.ptx
#include "kernel.h"

// CHECK:     .visible .entry first(
// CHECK-NOT: {{(ld|st)\.global}}
// CHECK:     // tutti: begin
// CHECK:     ld.global
// CHECK:     st.global
KERNEL(first) {
  (void)lower, (void)upper, (void)total, (void)partials, (void)n;
  *(double *)AT(out) = 2.0 * *(const double *)AT(in); // In the first block, in front of all tests.
}

// CHECK:     .visible .entry from_arena(
// CHECK-NOT: {{(ld|st)\.global}}
// CHECK:     // tutti: begin
// CHECK:     ld.global
// CHECK:     st.global
KERNEL(from_arena) {
  (void)low, (void)high, (void)lower, (void)upper, (void)total, (void)in, (void)out, (void)n;
  *(double *)partials = *(const double *)arena;
}

// CHECK:     .visible .entry nothing(
// CHECK:     // tutti: begin
// CHECK:     ret;
KERNEL(nothing) {
  (void)arena, (void)low, (void)high, (void)lower, (void)upper, (void)total, (void)partials;
  (void)in, (void)out, (void)n;
}
