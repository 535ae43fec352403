// Round lists are reversed square ones, whose node subscripts begin with 1 and whose triplets name the
// last element.
// RUN: %tutti-xmp - clang %s | FileCheck %s
#define TASK task
int k;
// CHECK: int main
#pragma xmp nodes p(4, 2)
#pragma xmp nodes q[2][4]
#pragma xmp template t(0:9, 5)
#pragma xmp template v[4]
#pragma xmp distribute t(block, cyclic(2)) onto p
#pragma xmp nodes sub(4) = p(:, *)
#pragma xmp nodes own[2] = *

int main(void) {
  // CHECK: tutti_xmp_barrier("{{[^"]*}}", &(const tutti_xmp_ref){tutti_p_1, 2, ({ static const tutti_xmp_subscript tutti_list[] = {{[{][{]}}TUTTI_XMP_INDEX, (long)(2) - 1, 0, 1}, {TUTTI_XMP_LAST, (long)(1) - 1, (long)(3) - 1, (long)(2)}}; tutti_list; })});
  #pragma xmp barrier on p(1:3:2, 2)
  // CHECK: tutti_xmp_barrier("{{[^"]*}}", &(const tutti_xmp_ref){tutti_q_2, 2, ({ static const tutti_xmp_subscript tutti_list[] = {{[{][{]}}TUTTI_XMP_INDEX, (long)(1), 0, 1}, {TUTTI_XMP_COUNT, (long)(0), (long)(3), (long)(2)}}; tutti_list; })});
  #pragma xmp barrier on q[1][0:3:2]
  // CHECK: {TUTTI_XMP_MINE, 0, 0, 1}, {TUTTI_XMP_FROM, (long)(1), 0, 1}
  #pragma xmp barrier on q[*][1:]
  // CHECK: {TUTTI_XMP_UPTO, 0, (long)(1), 1}, {TUTTI_XMP_ALL, 0, 0, 1}
  // CHECK: {TUTTI_XMP_ALL, 0, 0, 1}, {TUTTI_XMP_UNTIL, 0, (long)(k ? 1 : 2) - 1, 1}
  #pragma xmp barrier on q[:1][:]
  #pragma xmp barrier on p(:k ? 1 : 2, :)
  // CHECK: if (tutti_xmp_enter("{{.*}}:[[@LINE+1]]:15"
  #pragma xmp TASK on \
    p(1, 1)
  k = 1;
  // CHECK: {TUTTI_XMP_INDEX, (long)(4), 0, 1}, {TUTTI_XMP_INDEX, (long)(7), 0, 1}}; tutti_list; })}, TUTTI_XMP_NOCOMM))
  #pragma xmp task on t(7, 4) nocomm profile
  {
    k = 2;
  }
  #pragma xmp barrier
}
// CHECK: tutti_xmp_make_nodes("{{[^"]*}}", 2, ({ static const long tutti_list[] = {(long)(2), (long)(4)}; tutti_list; }), TUTTI_XMP_ENTIRE, 0)
// CHECK-SAME: tutti_xmp_make_nodes("{{[^"]*}}", 2, ({ static const long tutti_list[] = {(long)(2), (long)(4)}; tutti_list; }), TUTTI_XMP_ENTIRE, 0)
// CHECK-SAME: {TUTTI_XMP_LAST, 1, (long)(5), 1}, {TUTTI_XMP_LAST, (long)(0), (long)(9), 1}}
// CHECK-SAME: {TUTTI_XMP_COUNT, 0, (long)(4), 1}
// CHECK-SAME: {TUTTI_XMP_CYCLIC, (long)(2), 0, 0}, {TUTTI_XMP_BLOCK, 0, 0, 0}}; tutti_list; }), tutti_p_1)
// CHECK-SAME: 1, ({ static const long tutti_list[] = {(long)(4)}; tutti_list; }), TUTTI_XMP_SUBSET, &(const tutti_xmp_ref){tutti_p_1, 2, ({ static const tutti_xmp_subscript tutti_list[] = {{[{][{]}}TUTTI_XMP_MINE, 0, 0, 1}, {TUTTI_XMP_ALL, 0, 0, 1}}; tutti_list; })}
// CHECK-SAME: ({ static const long tutti_list[] = {(long)(2)}; tutti_list; }), TUTTI_XMP_EXECUTING, 0)
