// Loops that are written alike share one function of their chunks, which has nothing of what stands
// around them in their construct. Debuggers get a function for each.
// RUN: %tutticc -S -emit-llvm -o - %s | FileCheck %s
// RUN: %tutticc -g -S -emit-llvm -o - %s | FileCheck %s --check-prefix=LINES
// RUN: %tutticc -S -emit-llvm -o - %s | FileCheck %s --check-prefix=OWN

// CHECK: define internal void @both.omp_outlined.loop0.tutti.chunk(
// CHECK-NOT: @__kmpc_barrier
// CHECK: ret void
// CHECK-NOT: both.omp_outlined.loop1.tutti.chunk(
// CHECK-NOT: both.omp_outlined.loop1.tutti.accesses(
// CHECK: define internal void @both.omp_outlined.loop2.tutti.chunk(
// CHECK-NOT: @__kmpc_barrier
// CHECK: ret void
// CHECK: define internal void @both.omp_outlined.loop1.tutti.run(
// CHECK: call void {{.*}}@__kmpc_fork_call({{.*}}, ptr {{.*}}@both.omp_outlined.loop0.tutti.chunk,

// LINES: define internal void @both.omp_outlined.loop0.tutti.chunk(
// LINES-NOT: @__kmpc_barrier
// LINES: define internal void @both.omp_outlined.loop1.tutti.chunk(
// LINES-NOT: both.omp_outlined.loop1.tutti.accesses(

void both(long n, double *restrict a, double *restrict b, float *restrict c) {
#pragma omp parallel
  {
#pragma omp for
    for (long i = 0; i < n; ++i) {
      a[i] = 2 * a[i];
    }
#pragma omp for
    for (long j = 0; j < n; ++j) {
      b[j] = 2 * b[j];
    }
#pragma omp for
    for (long j = 0; j < n; ++j) {
      c[j] = 2 * c[j];
    }
  }
}

// What looks like a place, and is the program's own, stays what it is.
// OWN: @bcmp({{.*}}__const.
struct Own {
  int a, b, c, d;
  const char *text;
};
int memcmp(const void *, const void *, unsigned long);
void looks(int n, const struct Own *all, int *same) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    struct Own own = {0, 2, 0, 9, ";a;;"};
    same[i] = memcmp(&own, &all[i], 16) == 0;
  }
}
