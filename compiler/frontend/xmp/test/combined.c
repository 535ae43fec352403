// A directive with several attributes is as many directives.
// RUN: %tutti-xmp - clang %s | FileCheck %s
// RUN: %tutti-xmp %t.i clang %s
// RUN: clang -Werror -fsyntax-only %t.i
#define N 16
int n = N;
double u[N], v[N], sized[n], late[N];
#pragma xmp nodes :: p(4), half[2] = p(1:2)
#pragma xmp template[N], distribute[block] onto p :: t, shared
#pragma xmp distribute(cyclic(2), *) onto p, template :: s(N, 3), r(0:N-1, 2)
#pragma xmp shadow[1], align[i] with t[i] :: u, v
#pragma xmp align(i) with t(i), shadow(1:0) :: sized
double w(void) {
  #pragma xmp template, distribute(block) onto p :: own(2:9)
  double local[8];
  #pragma xmp align[i] with own[i + 2], shadow[*] :: local
  // CHECK: return tutti_u_{{[0-9]+}}_base {{\[}}(( 2 ) - tutti_u_
  #pragma xmp task on own(9)
  return u[2] + local[0];
  return 0;
}
// CHECK: tutti_xmp_start(void) { [[P:tutti_p_[0-9]+]] = tutti_xmp_make_nodes("{{[^"]*}}:8:22", 1, ({ static const long tutti_list[] = {(long)(4)}; tutti_list; }), TUTTI_XMP_ENTIRE, 0);
// CHECK-SAME: [[HALF:tutti_half_[0-9]+]] = tutti_xmp_make_nodes("{{[^"]*}}:8:28", 1, ({ static const long tutti_list[] = {(long)(2)}; tutti_list; }), TUTTI_XMP_SUBSET, &(const tutti_xmp_ref){[[P]],
// CHECK-SAME: [[T:tutti_t_[0-9]+]] = tutti_xmp_make_template(
// CHECK-SAME: [[SHARED:tutti_shared_[0-9]+]] = tutti_xmp_make_template(
// CHECK-SAME: tutti_xmp_distribute("{{[^"]*}}:9:26", [[T]], 1, ({ static const tutti_xmp_format tutti_list[] = {{[{][{]}}TUTTI_XMP_BLOCK
// CHECK-SAME: tutti_xmp_distribute("{{[^"]*}}:9:26", [[SHARED]], 1,
// CHECK-SAME: [[S:tutti_s_[0-9]+]] = tutti_xmp_make_template("{{[^"]*}}:10:58", 2, ({ static const tutti_xmp_subscript tutti_list[] = {{[{][{]}}TUTTI_XMP_LAST, 1, (long)(3), 1}, {TUTTI_XMP_LAST, 1, (long)(16), 1}}; tutti_list; })
// CHECK-SAME: [[R:tutti_r_[0-9]+]] = tutti_xmp_make_template("{{[^"]*}}:10:67"
// CHECK-SAME: tutti_xmp_distribute("{{[^"]*}}:10:13", [[S]], 2,
// CHECK-SAME: tutti_xmp_distribute("{{[^"]*}}:10:13", [[R]], 2,
// CHECK-SAME: [[U:tutti_u_[0-9]+]] = tutti_xmp_make_array("{{[^"]*}}:11:46"
// CHECK-SAME: [[V:tutti_v_[0-9]+]] = tutti_xmp_make_array("{{[^"]*}}:11:49"
// CHECK-SAME: tutti_xmp_set_shadow("{{[^"]*}}:11:13", [[U]], 1,
// CHECK-SAME: tutti_xmp_set_shadow("{{[^"]*}}:11:13", [[V]], 1,
// CHECK-SAME: [[SIZED:tutti_sized_[0-9]+]] = tutti_xmp_make_array("{{[^"]*}}:12:48"
// CHECK-SAME: tutti_xmp_set_shadow("{{[^"]*}}:12:33", [[SIZED]], 1,
