// A variable in which many iterations store one constant may be written by several parts of a loop:
// the record says 134, a write of at most these bytes that is merged. Where values differ it says 6 or
// 2, and parts that write the same bytes keep the launch home.
// RUN: %tutticc -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s
// RUN: %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: @constant.omp_outlined.tutti.accesses(
// CHECK:         call void @tutti_access({{.*}} i32 134, {{.*}}, i64 4, i32 0,
void constant(int n, const int *a, int *more) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (a[i] > 5) *more = 1;
}

// CHECK-LABEL: @twice.omp_outlined.tutti.accesses(
// CHECK:         call void @tutti_access({{.*}} i32 134, {{.*}}, i64 8, i32 0,
// CHECK:         call void @tutti_access({{.*}} i32 134, {{.*}}, i64 8, i32 0,
void twice(int n, int m, const int *a, double *found, double *b) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      if (a[j] > i) *found = 2.5;
    b[i] = 1;
    if (a[i] < 0) *found = 2.5;
  }
}

// All iterations do.
// CHECK-LABEL: @always.omp_outlined.tutti.accesses(
// CHECK:         call void @tutti_access({{.*}} i32 134, {{.*}}, i64 8, i32 0,
void always(int n, double *found, double *b) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    *found = 2.5;
    b[i] = i;
  }
}

// CHECK-LABEL: @atomic.omp_outlined.tutti.accesses(
// CHECK:         call void @tutti_access({{.*}} i32 134,
void atomic(int n, const int *a, short *more) {
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (a[i] > 5) {
      #pragma omp atomic write
      *more = 1;
    }
}

// CHECK-LABEL: @different.omp_outlined.tutti.accesses(
// CHECK-NOT:     i32 134
// CHECK:         ret void
void different(int n, const int *a, int *which) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (a[i] > 5) *which = 1;
    if (a[i] < -5) *which = 2;
  }
}

void differentAtomic(int n, const int *a, int *which) {
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it accesses a shared variable that is volatile or atomic
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    #pragma omp atomic write
    *which = a[i];
  }
}

// It is known which iteration writes.
// CHECK-LABEL: @once.omp_outlined.tutti.accesses(
// CHECK-NOT:     i32 134
// CHECK:         ret void
void once(int n, int *a) {
  #pragma omp parallel for
  for (int i = 1; i < n; i++) {
    a[i] = i;
    if (i == n - 1) a[0] = 7;
  }
}
