// Loops whose schedule names the length of pieces are TUTTI_REGION_PIECES (8192), and say how long
// these are where they are asked for no iterations: as the program computes it, -1 where it is
// chosen at run time. Of guided ones nobody knows where a piece begins, and one iteration has no
// order.
// RUN: %tutticc -O2 -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s
// CHECK-DAG: @fixed.omp_outlined.tutti.region = internal constant {{.*}} { i32 {{[0-9]+}}, i32 12293,
// CHECK-DAG: @given.omp_outlined.tutti.region = internal constant {{.*}} { i32 {{[0-9]+}}, i32 12293,
// CHECK-DAG: @dynamic.omp_outlined.tutti.region = internal constant {{.*}} { i32 {{[0-9]+}}, i32 12293,
// CHECK-DAG: @chosen.omp_outlined.tutti.region = internal constant {{.*}} { i32 {{[0-9]+}}, i32 12293,
// CHECK-DAG: @guided.omp_outlined.tutti.region = internal constant {{.*}} { i32 {{[0-9]+}}, i32 4101,
// CHECK-DAG: @single.omp_outlined.tutti.region = internal constant {{.*}} { i32 {{[0-9]+}}, i32 4101,

void fixed(double *restrict a, const double *b, int n) {
// CHECK-LABEL: define internal void @fixed.omp_outlined.tutti.accesses(
// CHECK: call void @tutti_access(ptr %{{[0-9]+}}, i32 0, i64 1, i64 24, i64 0, i32 0, ptr null)
#pragma omp parallel for schedule(static, 24)
  for (int i = 0; i < n; ++i) {
    a[i] = b[i];
  }
}

void given(double *restrict a, const double *b, int n, int piece) {
// CHECK-LABEL: define internal void @given.omp_outlined.tutti.accesses(
// CHECK: call void @tutti_access(ptr %{{[0-9]+}}, i32 0, i64 1, i64 %{{.+}}, i64 0, i32 0, ptr null)
#pragma omp parallel for schedule(static, piece + 1)
  for (int i = 0; i < n; ++i) {
    a[i] = b[i];
  }
}

void dynamic(double *restrict a, const double *b, int n) {
// CHECK-LABEL: define internal void @dynamic.omp_outlined.tutti.accesses(
// CHECK: call void @tutti_access(ptr %{{[0-9]+}}, i32 0, i64 1, i64 16, i64 0, i32 0, ptr null)
#pragma omp parallel for schedule(dynamic, 16)
  for (int i = 0; i < n; ++i) {
    a[i] = b[i];
  }
}

void chosen(double *restrict a, const double *b, int n) {
// CHECK-LABEL: define internal void @chosen.omp_outlined.tutti.accesses(
// CHECK: call void @tutti_access(ptr %{{[0-9]+}}, i32 0, i64 1, i64 -1, i64 0, i32 0, ptr null)
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < n; ++i) {
    a[i] = b[i];
  }
}

void guided(double *restrict a, const double *b, int n) {
#pragma omp parallel for schedule(guided, 16)
  for (int i = 0; i < n; ++i) {
    a[i] = b[i];
  }
}

void single(double *restrict a, const double *b, int n) {
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < n; ++i) {
    a[i] = b[i];
  }
}

// Threads of a construct that is run by their numbers cannot share pieces of a length that nobody
// knows before.
// CHECK-NOT: define internal void @numbered.omp_outlined{{.*}}.tutti.chunk(
int omp_get_thread_num(void);
void numbered(double *a, const double *b, int n, int *counts) {
#pragma omp parallel num_threads(4)
  {
    const int self = omp_get_thread_num();
    counts[self] += 1;
#pragma omp for schedule(runtime)
    for (int i = 0; i < n; ++i) {
      a[i] = b[i] + self;
    }
  }
}
