// A whole program: declarations become descriptors that start-up makes in their order, loops run over
// the node's share, and subscripts of global arrays lead into the local allocation.
// RUN: %tutti-xmp - clang -fopenmp %s | FileCheck %s
// RUN: %tutti-xmp %t.i clang -fopenmp %s
// RUN: clang -fopenmp -Werror -fsyntax-only %t.i
// CHECK: #pragma clang diagnostic ignored "-Weverything"
#define N 64
// CHECK: {{^}}double (*u) , (*uu) ;
double u[N][N], uu[N][N];
// CHECK: static tutti_xmp_nodes *[[P:tutti_p_[0-9]+]];
// CHECK: static tutti_xmp_template *[[T:tutti_t_[0-9]+]];
// CHECK: typedef __typeof__(u[0]) [[U:tutti_u_[0-9]+]]_t; static [[U]]_t **const [[U]]_at = ([[U]]_t **)&u;static tutti_xmp_array *[[U]];
#pragma xmp nodes p[*][2]
#pragma xmp template t[N][N]
#pragma xmp distribute t[block][block] onto p
#pragma xmp align u[j][i] with t[j][i]
#pragma xmp align [j][i] with t[j][i] :: uu
#pragma xmp shadow uu[1:1][1]

double f(void) {
  // CHECK: double f ( void )
  // CHECK: [[U]]_t *const [[U]]_base = *[[U]]_at; const long [[U]]_f0 = [[U]]->axis[0].first, [[U]]_s0 = [[U]]->axis[0].stride, [[U]]_f1 = [[U]]->axis[1].first;
  double value = 0.0;
  // CHECK: tutti_xmp_reflect("{{.*}}laplace.c:[[@LINE+1]]:24", {{.*}}, 0, 0, -9223372036854775807L);
  #pragma xmp reflect (uu)
  // CHECK: tutti_xmp_begin_reduction("{{.*}}laplace.c:[[@LINE+10]]:15", &(const tutti_xmp_ref){[[T]], 2, ({ static const tutti_xmp_subscript tutti_list[] = {{[{][{]}}TUTTI_XMP_ALL, 0, 0, 1}, {TUTTI_XMP_ALL, 0, 0, 1}}; tutti_list; })}, 1,
  // CHECK-SAME: (void *)&(value), TUTTI_XMP_DOUBLE, sizeof((value)), 0, 0, 0}, TUTTI_XMP_ADD
  // CHECK-SAME: { __typeof__(value) *const [[V:tutti_value_[0-9]+]] = &value; __typeof__(*[[V]]) value = *[[V]];
  // CHECK-SAME: tutti_xmp_index [[L:tutti_loop_[0-9]+]][] = {{[{][{]}}.axis = 0, .offset = 0, .lower = (long)(1), .last = (long)(64 - 1) - 1, .step = 1}
  // CHECK-SAME: {.axis = 1, .offset = 0, .lower = (long)(1), .last = (long)(64 - 1), .step = (long)(2)}
  // CHECK-SAME: tutti_xmp_share(
  // CHECK: for (j = (int)[[L]]_0_b; j < (int)[[L]]_0_e; j += 1)
  // CHECK: for (int i = (int)[[L]]_1_b; i < (int)[[L]]_1_e; i += (long)(2))
  // CHECK: value += [[U]]_base {{\[}}(( j ) - [[U]]_f0) * [[U]]_s0 + (( i ) - [[U]]_f1)] - tutti_uu{{.*}} (( i + 1 ) - tutti_uu{{.*}} ; *[[V]] = value; } tutti_xmp_end_reduction(
  int j;
  #pragma xmp loop (j, i) on t[j][i] reduction(+: value)
  for (j = 1; j < N - 1; j++)
    for (int i = 1; i <= N - 1; i += 2)
      value += u[j][i] - uu[j][i + 1];
  // CHECK: { tutti_xmp_scope [[S:tutti_scope_[0-9]+]] __attribute__((cleanup(tutti_xmp_leave))) = {{[{][{]}}0}}; if (tutti_xmp_enter("{{[^"]*}}", &[[S]], &(const tutti_xmp_ref){[[P]], 2, ({ static const tutti_xmp_subscript tutti_list[] = {{[{][{]}}TUTTI_XMP_INDEX, (long)(0), 0, 1}, {TUTTI_XMP_INDEX, (long)(1), 0, 1}}; tutti_list; })}, 0))
  // CHECK: return value ; }
  #pragma xmp task on p[0][1]
  return value;
  // CHECK: return (sizeof([[U]]_t) * (unsigned long)(long)(64) * (unsigned long)(long)(64)) + (sizeof([[U]]_t) * (unsigned long)(long)(64)) ;
  return sizeof(u) + sizeof u[0];
}
// A variable that others may reach by its address is reduced itself.
double known(void) {
  double total = 0, *address = &total;
  // CHECK: tutti_xmp_begin_reduction({{.*}}&(total)
  // CHECK-NOT: __typeof__(total)
  // CHECK: total += {{.*}} ; tutti_xmp_end_reduction(
  #pragma xmp loop on t[j][*] reduction(+: total)
  for (int j = 0; j < N; j++)
    total += u[j][0];
  return *address;
}

// CHECK: static void tutti_xmp_start(void) { [[P]] = tutti_xmp_make_nodes("{{[^"]*}}", 2, ({ static const long tutti_list[] = {-1, (long)(2)}; tutti_list; }), TUTTI_XMP_ENTIRE, 0); [[T]] = tutti_xmp_make_template(
// CHECK-SAME: {TUTTI_XMP_COUNT, 0, (long)(64), 1}, {TUTTI_XMP_COUNT, 0, (long)(64), 1}
// CHECK-SAME: tutti_xmp_distribute(
// CHECK-SAME: {TUTTI_XMP_BLOCK, 0, 0, 0}, {TUTTI_XMP_BLOCK, 0, 0, 0}}; tutti_list; }), [[P]]);
// CHECK-SAME: [[U]] = tutti_xmp_make_array("{{[^"]*}}", &u, TUTTI_XMP_ALLOCATE, TUTTI_XMP_DOUBLE, sizeof([[U]]_t), 2, ({ static const long tutti_list[] = {(long)(64), (long)(64)}; tutti_list; }), ({ static const tutti_xmp_alignment tutti_list[] = {{[{][{]}}0, 0}, {1, 0}}; tutti_list; }), [[T]]);
// CHECK-SAME: tutti_xmp_set_shadow({{.*}}{{[{][{]}}(long)(1), (long)(1), 0}, {(long)(1), (long)(1), 0}}; tutti_list; }))
// CHECK: __attribute__((section("tutti_xmp"), used))
