// Sections: in assignments of local and global arrays, in gmove, and in what is communicated.
// RUN: %tutti-xmp - clang %s | FileCheck %s
// RUN: %tutti-xmp %t.i clang %s
// RUN: clang -Werror -fsyntax-only %t.i
double sin(double);
double a[100], local[100], *pointer;
int m;
#pragma xmp nodes p[4]
#pragma xmp template t[100]
#pragma xmp distribute t[block] onto p
#pragma xmp align a[i] with t[i]

void f(int n) {
  // A right side without sections is evaluated once.
  // CHECK: const long [[S:tutti_section_[0-9]+]]_0_l = (long)(sizeof(local) / sizeof(local[0]));
  // CHECK-SAME: const __auto_type [[S]]_v = n ++; for (long [[S]]_0 = 0; [[S]]_0 < [[S]]_0_l; [[S]]_0++) { local {{\[}} 0 + [[S]]_0 ] = [[S]]_v;
  local[:] = n++;
  // What may be overwritten is kept.
  // CHECK: __builtin_malloc
  // CHECK-SAME: local {{\[}} (long)(1) + tutti_section_{{[0-9]+}}_0 ] =
  local[1:n] = local[0:n];
  // CHECK-NOT: __builtin_malloc
  // CHECK: tutti_xmp_share_elements({{.*}}{TUTTI_XMP_COUNT, (long)(10), (long)(5), 1}}; tutti_list; })}, 1,
  // CHECK-SAME: = sin ( local {{\[}} (long)(0) + tutti_section_{{[0-9]+}}_0 * (long)(2) ] ) + 1;
  #pragma xmp array on t[10:5]
  a[10:5] = sin(local[0:5:2]) + 1;
  // CHECK: tutti_xmp_gmove("{{[^"]*}}", TUTTI_XMP_COLLECTIVE, &(const tutti_xmp_section){0, (void *)(local), TUTTI_XMP_DOUBLE, {{.*}}, ({ static const tutti_xmp_subscript tutti_list[] = {{[{][{]}}TUTTI_XMP_UPTO, 0, (long)(3), 1}}; tutti_list; })}, &(const tutti_xmp_section){tutti_a_{{[0-9]+}}, 0, TUTTI_XMP_DOUBLE, {{.*}}{TUTTI_XMP_COUNT, (long)(n), (long)(3), (long)(- 1)}
  #pragma xmp gmove
  local[:3] = a[n:3:-1];
  // CHECK: tutti_xmp_gmove("{{[^"]*}}", TUTTI_XMP_IN, &(const tutti_xmp_section){0, (void *)(pointer), {{.*}}({ static const long tutti_list[] = {-1}; tutti_list; }), {{.*}}, (long)(7));
  #pragma xmp gmove in async(7)
  pointer[0:4] = a[0:4];
  // CHECK: tutti_xmp_bcast("{{[^"]*}}", 2, {{.*}}{TUTTI_XMP_FROM, (long)(2), 0, 1}{{.*}}(void *)&(m), TUTTI_XMP_INT32, {{.*}}, &(const tutti_xmp_ref){tutti_p_{{.*}}INDEX, (long)(1)
  #pragma xmp bcast(local[2:], m) from p[1] on p
  // CHECK: tutti_xmp_reduction({{.*}}TUTTI_XMP_MAX, -1, 1, (const tutti_xmp_section[]){{[{][{]}}0, (void *)&(m)
  #pragma xmp reduction(MAX: n / m /)
  // CHECK: tutti_xmp_wait_async("{{[^"]*}}", 2, (const long[]){(long)(7), (long)(n)}
  #pragma xmp wait_async(7, n)
}
