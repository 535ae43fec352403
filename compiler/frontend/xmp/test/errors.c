// Every mistake in `#pragma xmp` is an error at its place, and those behind it are found too.
// RUN: not %tutti-xmp - clang -ferror-limit=0 %s 2>&1 | FileCheck %s
int a[16], b[16], c[16][16], local[4], n, x, init[16] = {1};
int *pointer, **second;
double d;
struct pair { int v; } pair;
#pragma xmp nodes p[4]
#pragma xmp template t[16]
#pragma xmp template u[16]
#pragma xmp template tt[16][16]
#pragma xmp distribute t[block] onto p
#pragma xmp distribute tt[block][*] onto p
#pragma xmp align a[i] with t[i]
#pragma xmp align c[i][j] with tt[i][j]
#pragma xmp shadow c[1][0]
// CHECK: :[[@LINE+1]]:13: error: unknown directive 'nods'; did you mean 'nodes'?
#pragma xmp nods q[2]
// CHECK: :[[@LINE+1]]:20: error: expected '[' or '('
#pragma xmp nodes q
// CHECK: :[[@LINE+1]]:21: error: expected an expression
#pragma xmp nodes q[]
// CHECK: :[[@LINE+1]]:24: error: extra tokens at the end of '#pragma xmp nodes'
#pragma xmp nodes q[2] 3
// CHECK: :[[@LINE+1]]:20: error: more than 7 dimensions
#pragma xmp nodes q[1][1][1][1][1][1][1][1]
// CHECK: :[[@LINE+1]]:13: error: 'local_alias' is of Fortran
#pragma xmp local_alias b => a
// CHECK: :[[@LINE+1]]:13: error: '#pragma xmp barrier' can stand in functions only
#pragma xmp barrier
// CHECK: :[[@LINE+1]]:26: error: expected '*', block, cyclic or gblock; did you mean 'block'?
#pragma xmp distribute u[bloc] onto p
// CHECK: :[[@LINE+1]]:32: error: expected '(' after gblock
#pragma xmp distribute u[gblock] onto p
// CHECK: :[[@LINE+1]]:24: error: expected 'with'
#pragma xmp align b[i] on t[i]
// CHECK: :[[@LINE+1]]:31: error: index 'i' can stand in a subscript as 'i', 'i + value' or 'i - value' only
#pragma xmp align b[i] with t[i * 2]
// CHECK: :[[@LINE+1]]:35: error: index 'i' can stand in a subscript
#pragma xmp align b[i] with t[2 + i]
// CHECK: :[[@LINE+1]]:13: error: '#pragma xmp coarray' is not supported: it belongs to coarrays
#pragma xmp coarray b : [*]
// CHECK: :[[@LINE+1]]:13: error: functions cannot be variants of others in XcalableMP
#pragma omp begin declare variant match(device={kind(host)})
int variant(void) { return 1; }
#pragma omp end declare variant
int f(int i) {
  // CHECK: :[[@LINE+1]]:24: error: unknown clause 'acync'; did you mean 'async'?
  #pragma xmp bcast(x) acync(1)
  // CHECK: :[[@LINE+1]]:25: error: unknown reduction 'maxx'; did you mean 'max'?
  #pragma xmp reduction(maxx: x)
  // CHECK: :[[@LINE+1]]:25: error: 'firstmax' is a reduction of '#pragma xmp loop' only
  #pragma xmp reduction(firstmax: x)
  // CHECK: :[[@LINE+1]]:21: error: index 'i' is named twice
  #pragma xmp loop (i, i) on t[i]
  for (i = 0; i < 4; i++)
    x = i;
  // CHECK: :[[@LINE+1]]:26: error: index 'i' can stand in a subscript
  #pragma xmp loop on t[-i]
  for (i = 0; i < 4; i++)
    x = i;
  // CHECK: :[[@LINE+1]]:23: error: '#pragma xmp barrier' has no clause 'from'
  #pragma xmp barrier from p[0]
  // CHECK: :[[@LINE+1]]:34: error: 'from' stands here twice
  #pragma xmp bcast(x) from p[0] from p[1]
  // CHECK: :[[@LINE+1]]:28: error: 'on' stands here twice
  #pragma xmp task on p[0] on p[1]
  x = 1;
  // An assignment whose directive is wrong is no second error.
  // CHECK: :[[@LINE+1]]:24: error: unknown clause 'out'
  #pragma xmp gmove in out
  a[:] = b[:];
  // CHECK-NOT: needs
  // CHECK: :[[@LINE+1]]:15: error: 'template_fix' needs formats, sizes, or both
  #pragma xmp template_fix t
  // CHECK: :[[@LINE+1]]:22: error: expected the name of a node array, template or global array alone
  return xmp_desc_of(a[0]) != 0;
}
