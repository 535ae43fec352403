// What constants already show to be wrong is an error at the token that is wrong, with a note at the
// other declaration.
// RUN: not %tutti-xmp - clang -w -ferror-limit=0 %s 2>&1 | FileCheck --implicit-check-not=error: %s
#define N 16
static const int M = 20;
int a[N], b[N], d[N], minus[N], wide[M], c[N][8], whole[N], local[4], plane[3][5], k;
struct S { int s[N]; };
static const int small[4] = {4, 4, 4, 3}, negative[4] = {-1, 9, 4, 4};
int three[3], map[4] = {3, 3, 3, 3};
#pragma xmp nodes p[4]
#pragma xmp nodes g(2, 3)
#pragma xmp template t[N]
#pragma xmp template r(1:N)
#pragma xmp template tt[N][8]
#pragma xmp distribute t[block] onto p
#pragma xmp distribute r(cyclic) onto p
#pragma xmp distribute tt[block][*] onto p
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with t[i]
#pragma xmp align c[i][j] with tt[i][j]
#pragma xmp align whole[i] with r(i + 1)
#pragma xmp shadow a[1:2]
#pragma xmp shadow c[1][0]
#pragma xmp shadow whole[*]
// CHECK: :[[@LINE+1]]:24: error: node array 'none' has a size of 0
#pragma xmp nodes none[0]
// CHECK: :[[@LINE+2]]:29: error: 'part' has 3 nodes, but this part of 'p' has 2
// CHECK: :10:19: note: 'p' is declared here
#pragma xmp nodes part[3] = p[0:2]
// CHECK: :[[@LINE+1]]:33: error: index 5 lies outside of dimension 1 of 'p', which has 1 to 4
#pragma xmp nodes next(2) = p(4:5)
// CHECK: :[[@LINE+1]]:27: error: template 'back' goes from 5 to 4
#pragma xmp template back(5:4)
#pragma xmp template u[N]
#pragma xmp template v[N]
#pragma xmp template m1[N]
#pragma xmp template m2[N]
#pragma xmp template m3[N]
#pragma xmp template m4[N]
#pragma xmp template m5[N]
// CHECK: :[[@LINE+1]]:32: error: 'block(3)' on 4 nodes does not cover 16 indices of 'u'
#pragma xmp distribute u[block(3)] onto p
// CHECK: :[[@LINE+1]]:33: error: 'cyclic(0)' is not positive
#pragma xmp distribute v[cyclic(0)] onto p
// CHECK: :[[@LINE+1]]:34: error: the gblock map has 3 entries for 4 nodes
#pragma xmp distribute m1[gblock(three)] onto p
// CHECK: :[[@LINE+1]]:34: error: the gblock map covers 15 of 16 indices of 'm2'
#pragma xmp distribute m2[gblock(small)] onto p
// CHECK: :[[@LINE+1]]:34: error: an entry of the gblock map is -1
#pragma xmp distribute m3[gblock(negative)] onto p
// CHECK: :[[@LINE+1]]:34: error: the gblock map covers 12 of 16 indices of 'm4'
#pragma xmp distribute m4[gblock(map)] onto p
// CHECK: :[[@LINE+1]]:34: error: the gblock map covers 6 of 16 indices of 'm5'
#pragma xmp distribute m5[gblock((int[4]){1, 2, 3})] onto p
// CHECK: :[[@LINE+1]]:34: error: dimension 1 of 'wide' is aligned with 0 to 19, but dimension 1 of 't' has 0 to 15
#pragma xmp align wide[i] with t[i]
// CHECK: :[[@LINE+1]]:33: error: dimension 1 of 's' is aligned with -1 to 14, but dimension 1 of 't' has 0 to 15
#pragma xmp align S.s[i] with t[i - 1]
#pragma xmp align d[i] with t[i]
// CHECK: :[[@LINE+1]]:22: error: a shadow of 5 elements is wider than a block of 4
#pragma xmp shadow d[5]
#pragma xmp align minus[i] with t[i]
// CHECK: :[[@LINE+1]]:26: error: a shadow of -1 elements
#pragma xmp shadow minus[-1]
void nothing_follows_from_that(void) {
  #pragma xmp reflect (minus) width(2)
  minus[0] = minus[N - 1];
}
int f(int n) {
  // CHECK: :[[@LINE+1]]:28: error: index 7 lies outside of dimension 1 of 'p', which has 0 to 3
  #pragma xmp barrier on p[7]
  // CHECK: :[[@LINE+1]]:28: error: index 0 lies outside of dimension 1 of 'p', which has 1 to 4
  #pragma xmp barrier on p(0)
  // CHECK: :[[@LINE+1]]:31: error: index 4 lies outside of dimension 2 of 'g', which has 1 to 3
  #pragma xmp barrier on g(1, 4)
  // CHECK: :[[@LINE+1]]:28: error: index 3 lies outside of dimension 1 of 'g', which has 0 to 2
  #pragma xmp barrier on g[3][0]
  // CHECK: :[[@LINE+1]]:30: error: index 4 lies outside of dimension 1 of 'p', which has 0 to 3
  #pragma xmp barrier on p[1:4]
  // CHECK: :[[@LINE+1]]:30: error: a section of 0 elements
  #pragma xmp barrier on p[0:0]
  // CHECK: :[[@LINE+1]]:32: error: a section with a step of 0
  #pragma xmp barrier on p[0:2:0]
  // CHECK: :[[@LINE+2]]:25: error: index 16 lies outside of dimension 1 of 't', which has 0 to 15
  // CHECK: :12:22: note: 't' is declared here
  #pragma xmp task on t[N]
  k = 1;
  // CHECK: :[[@LINE+1]]:25: error: index 0 lies outside of dimension 1 of 'r', which has 1 to 16
  #pragma xmp task on r(0)
  k = 1;
  // CHECK: :[[@LINE+1]]:31: error: a broadcast has one source, and this names 2 nodes of 'p'
  #pragma xmp bcast(k) from p[1:2]
  // CHECK: :[[@LINE+1]]:29: error: a broadcast has one source, and this names 4 nodes of 'p'
  #pragma xmp bcast(k) from p
  // CHECK: :[[@LINE+2]]:32: error: a width of 2 is larger than the shadow of 'a', which has 1
  // CHECK: :22:21: note: the shadow of 'a' is declared here
  #pragma xmp reflect(a) width(2)
  // CHECK: :[[@LINE+1]]:34: error: a width of 3 is larger than the shadow of 'a', which has 2
  #pragma xmp reflect(a) width(1:3)
  // CHECK: :[[@LINE+1]]:32: error: a width of -1 elements
  #pragma xmp reflect(a) width(-1:1)
  // CHECK: :[[@LINE+1]]:41: error: a width of 1 is larger than the shadow of 'c', which has 0
  #pragma xmp reduce_shadow(c) width(1, 1)
  // CHECK: :[[@LINE+1]]:29: error: index 4 lies outside of dimension 1 of 'local', which has 0 to 3
  #pragma xmp bcast(local[2:3])
  // CHECK: :[[@LINE+1]]:37: error: index 5 lies outside of dimension 2 of 'plane', which has 0 to 4
  #pragma xmp reduction(+: plane[1][5])
  // CHECK: :[[@LINE+2]]:5: error: index 18 lies outside of dimension 1 of 'a', which has -1 to 17 with its shadow
  // CHECK: :6:5: note: 'a' is declared here
  a[18] = a[-1] + a[17] + whole[0];
  // CHECK: :[[@LINE+1]]:5: error: index -2 lies outside of dimension 1 of 'a', which has -1 to 17 with its shadow
  a[-2] = *(&b[16]);
  // CHECK: :[[@LINE+1]]:5: error: index 20 lies outside of dimension 1 of 'b', which has 0 to 15
  b[M] = whole[15];
  // CHECK: :[[@LINE+1]]:9: error: index 16 lies outside of dimension 1 of 'whole', which has 0 to 15 with its shadow
  whole[16] = 1;
  // CHECK: :[[@LINE+1]]:8: error: index 8 lies outside of dimension 2 of 'c', which has 0 to 7 with its shadow
  c[n][8] = 1;
  #pragma xmp gmove
  // CHECK: :[[@LINE+1]]:14: error: 5 elements are assigned to 4
  a[0:4] = b[0:5];
  #pragma xmp gmove
  // CHECK: :[[@LINE+1]]:20: error: index 16 lies outside of dimension 1 of 'b', which has 0 to 15
  c[0:5][2] = b[12:5];
  #pragma xmp gmove
  // CHECK: :[[@LINE+1]]:16: error: index -1 lies outside of dimension 1 of 'a', which has 0 to 15
  local[:] = a[-1:4];
  #pragma xmp gmove
  // CHECK: :[[@LINE+2]]:18: error: 16 elements are assigned to 4
  // CHECK: note: these are assigned to
  local[n:4] = b[:];
  // CHECK: :[[@LINE+1]]:11: error: index 4 lies outside of dimension 1 of 'local', which has 0 to 3
  local[0:5] = 0;
  // CHECK: :[[@LINE+1]]:28: error: 3 elements are assigned to 2
  plane[:][1:2] = plane[:][::2];
  #pragma xmp array on t[8:8]
  // CHECK: :[[@LINE+1]]:14: error: 7 elements are assigned to 8
  a[8:8] = b[0:7];
  // CHECK: :[[@LINE+1]]:29: error: index 19 lies outside of dimension 1 of 't', which has 0 to 15
  #pragma xmp array on t[12:8]
  a[n:8] = 1;
  // CHECK: :[[@LINE+2]]:26: error: 4 elements are assigned on 3 subscripts of 't'
  // CHECK: :12:22: note: 't' is declared here
  #pragma xmp array on t[2:3]
  a[2:4] = 1;
  // CHECK: :[[@LINE+1]]:26: error: 4 elements are assigned on 3 subscripts of 'r'
  #pragma xmp array on r(2:4)
  whole[1:4] = 1;
  #pragma xmp array on t[:]
  a[2:4] = 1;
  // CHECK: :[[@LINE+2]]:25: error: iteration 16 belongs to subscript 16, which lies outside of dimension 1 of 't', which has 0 to 15
  // CHECK: :12:22: note: 't' is declared here
  #pragma xmp loop on t[i]
  for (int i = 0; i <= N; i++)
    b[i] = 1;
  // CHECK: :[[@LINE+1]]:29: error: iteration 0 belongs to subscript -2, which lies outside of dimension 2 of 'tt', which has 0 to 7
  #pragma xmp loop on tt[*][j - 2]
  for (int j = 7; j >= 0; j -= 7)
    k++;
  // CHECK: :[[@LINE+1]]:25: error: iteration 0 belongs to subscript 0, which lies outside of dimension 1 of 'p', which has 1 to 4
  #pragma xmp loop on p(j)
  for (int j = 0; j < 4; j++)
    k++;
  #pragma xmp loop on t[i]
  for (int i = N; i < N; i++)
    b[i] = 1;
  #pragma xmp loop on t[i]
  for (int i = 0; i < N + 1; i += 5)
    b[N - 1] = 1;
  // CHECK: :[[@LINE+1]]:46: error: a width of 1 for a dimension that no index names
  #pragma xmp loop (i) on tt[i][*] expand(0, 1)
  for (int i = 0; i < N; i++)
    c[i][0] = 1;
  // CHECK: :[[@LINE+1]]:53: error: a width of 'peel_and_wait' cannot be positive
  #pragma xmp loop (i) on tt[i][*] peel_and_wait(1, 1, 0)
  for (int i = 0; i < N; i++)
    c[i][0] = 1;
  return 0;
}
void g2(void) {
  #pragma xmp template later[:]
  #pragma xmp distribute later[gblock(*)] onto p
  // CHECK: :[[@LINE+1]]:35: error: the gblock map covers 15 of 16 indices of 'later'
  #pragma xmp template_fix[gblock(small)] later[N]
  ;
}
