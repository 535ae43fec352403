// Loops on devices become OpenMP's over the copies of what is replicated, whose subscripts are global as they were.
// RUN: %tutti-xmp - clang -fopenmp %s | FileCheck %s
// RUN: %tutti-xmp %t.i clang -fopenmp %s
// RUN: clang -fopenmp -Werror -fsyntax-only %t.i
#define N 64
double u[N][N], v[N];
int total;
#pragma xmp nodes p[2][2]
#pragma xmp template t[N][N]
#pragma xmp distribute t[block][block] onto p
#pragma xmp template s[N]
#pragma xmp nodes q[4]
#pragma xmp distribute s[cyclic(3)] onto q
#pragma xmp align u[j][i] with t[j][i]
#pragma xmp align v[i] with s[i]
#pragma xmp shadow u[1][1]
// CHECK: static void *[[W:tutti_v_[0-9]+_copy]];
#pragma xmp acc replicate (v)

void f(int n, double scale) {
  double table[4] = {1}, sum = 0;
  int i, unused = n;
  // CHECK: { void *[[U:tutti_u_[0-9]+_copy]] __attribute__((cleanup(tutti_xmp_release_copy))) = tutti_xmp_replicate("{{.*}}acc.c:[[@LINE+2]]:30", tutti_u_{{[0-9]+}}, 0, 0);
  // CHECK-SAME: void *[[T:tutti_table_[0-9]+_copy]] __attribute__((cleanup(tutti_xmp_release_copy))) = tutti_xmp_replicate({{.*}}, 0, (void *)&table, sizeof table);
  #pragma xmp acc replicate (u, table)
  {
    // CHECK: tutti_xmp_replicate_sync("{{.*}}", [[U]], TUTTI_XMP_COPY_IN); tutti_xmp_replicate_sync("{{.*}}", [[W]], TUTTI_XMP_COPY_OUT);
    #pragma xmp acc replicate_sync in (u) out (v)
    // CHECK: tutti_xmp_reflect({{.*}}, 0, 0 | TUTTI_XMP_ACC, -9223372036854775807L)
    #pragma xmp reflect (u) acc
    // CHECK: tutti_xmp_begin_reduction(
    // CHECK-SAME: tutti_xmp_share(
    // CHECK-SAME: [[B:tutti_u_[0-9]+]]_t *const [[B]]_base = ([[B]]_t *)[[U]];
    // CHECK-SAME: __typeof__(table) *const [[T]]_at = [[T]];
    // CHECK: #pragma tutti device(gpu) block(16, 8)
    // CHECK: #pragma omp parallel for collapse(2) private(n) reduction(+:sum) firstprivate(scale)
    // CHECK: for (int j =
    // CHECK: for (i =
    // CHECK: n = j ;
    // CHECK: sum += (*[[T]]_at) [ 1 ] * scale * [[B]]_base
    #pragma xmp loop (j, i) on t[j][i] acc reduction(-: sum) num_threads(16, 8) private(n)
    for (int j = 0; j < N; j++) {
      for (i = 1; i < N - 1; i++) {
        n = j;
        sum += table[1] * scale * u[n][i + 1];
      }
    }
  }
  // CHECK: #pragma tutti device ( hybrid )
  // CHECK: #pragma omp parallel for shared(total)
  // CHECK: int i = (int)({{.*}}_l ? {{.*}}_l[
  #pragma xmp device loop on s[i] shared(total)
  #pragma tutti device(hybrid)
  for (int i = 0; i < N; i++) {
    v[i] = i;
    if (i == 3) total = i;
  }
}
// Loops that pack come for words of 8 bytes, and for those that the arrays' elements need.
// CHECK: tutti_xmp_set_packing(tutti_xmp_pack8, 0, 0);
