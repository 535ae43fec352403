// Directives own the next statement, whatever it is, and stand where a statement may stand.
// RUN: %tutti-xmp - clang -fopenmp %s | FileCheck %s
// RUN: %tutti-xmp %t.i clang -fopenmp %s
// RUN: clang -fopenmp -Werror -fsyntax-only %t.i
int a[100], b[100][100];
#pragma xmp nodes p[4]
#pragma xmp template t[100]
#pragma xmp distribute t[cyclic(3)] onto p
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i][*] with t[i]
void g(int *, int (*)[100]);

void f(int n, int c[100]) {
  #pragma xmp align c[i] with t[i]
  // CHECK: void f ( int n , int c [ 100 ] )
  // CHECK: tutti_xmp_array *[[C:tutti_c_[0-9]+]] __attribute__((cleanup(tutti_xmp_release))) = tutti_xmp_make_array("{{[^"]*}}", &c, TUTTI_XMP_GIVEN, TUTTI_XMP_INT32,
  // CHECK-SAME: [[C]]_t *const [[C]]_base = ([[C]]_t *)c;
  // CHECK: if ( n )
  // CHECK-NEXT: tutti_xmp_barrier({{.*}});
  // CHECK-NEXT: else
  if (n)
    #pragma xmp barrier
  else
    n = 1;
  // CHECK: tutti_xmp_enter({{.*}}))
  // CHECK-NEXT: tutti_xmp_barrier({{.*}});}
  #pragma xmp task on p[0]
    #pragma xmp barrier
  // CHECK: tutti_xmp_enter({{.*}}))
  // CHECK-NEXT: { tutti_xmp_index {{.*}}tutti_xmp_share(
  // CHECK: #pragma omp parallel for
  // CHECK: for (long [[K:tutti_k_[0-9]+]] = 0; [[K]] < [[L:tutti_loop_[0-9]+]]_0_n; [[K]]++)
  // CHECK-NEXT: { int i = (int)tutti_xmp_iteration(&[[L]][0], [[K]]); [[C]]_base [tutti_xmp_position(( i ), [[C]]_f0, [[C]]_w0, [[C]]_c0, [[C]]_o0)] = n ; }
  #pragma xmp task on p[0:2]
    #pragma xmp loop on t[i]
    #pragma omp parallel for
    for (int i = 0; i < 100; i++)
      c[i] = n;
  // CHECK: #pragma omp parallel for
  #pragma omp parallel for
  #pragma xmp loop on t[i]
  for (int i = 0; i < 100; i++)
    for (int j = 0; j < i; j++)
      // CHECK: tutti_b{{.*}} [tutti_xmp_position({{.*}} + (( j ) - tutti_b_{{[0-9]+}}_f1)] = 1 ;
      b[i][j] = 1;
  // CHECK: for (int i = (int)[[D:tutti_loop_[0-9]+]]_0_b; i > (int)[[D]]_0_e; i += [[D]]_0_s)
  #pragma omp parallel for
  #pragma xmp loop on p[i]
  for (int i = 3; i >= 0; i--)
    ;
  // CHECK: g ( a , ((tutti_b_{{[0-9]+}}_t (*)[(long)(100)])b) ) ;
  g(a, b);
  // CHECK: g ( & tutti_a_{{[0-9]+}}_base [tutti_xmp_position(( n ), {{.*}} , & (*(tutti_b_{{[0-9]+}}_t (*)[(long)(100)])( tutti_b_{{[0-9]+}}_base + tutti_xmp_position(( n ),
  g(&a[n], &b[n]);
  // CHECK: tutti_xmp_enter({{.*}}{TUTTI_XMP_INDEX, (long)i, 0, 1}}}, 0); {
  // CHECK: tutti_xmp_bcast(
  #pragma xmp loop on t[i]
  for (int i = 0; i < 100; i++) {
    #pragma xmp bcast(n)
  }
  // CHECK: const tutti_xmp_ref *const [[SET:tutti_set_[0-9]+]] =
  // CHECK: tutti_xmp_enter({{.*}}, [[SET]], 0)
  #pragma xmp tasks
  {
    #pragma xmp task on p[n]
    n = 2;
    #pragma xmp task on p[1]
    n = 3;
  }
}
