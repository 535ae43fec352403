// Elements that lie side by side in the same rows are one record, as in an unrolled loop or a
// stencil, and so is what is read and written. Others stay apart.
// RUN: %tutticc -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s

// CHECK-LABEL: define internal void @unrolled.omp_outlined.tutti.accesses(
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 3, i64 {{.*}}, i64 {{.*}}, i64 64, i32 1,
// CHECK-NOT:     call void @tutti_access
// CHECK:       }
void unrolled(double *a, long rows, long columns) {
  #pragma omp parallel for
  for (long i = 0; i < rows; ++i) {
    for (long j = 0; j < 8; ++j) a[i * columns + j] += 1.0;
  }
}

// CHECK-LABEL: define internal void @stencil.omp_outlined.tutti.accesses(
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 1, i64 {{.*}}, i64 {{.*}}, i64 24, i32 1,
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 2, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK-NOT:     call void @tutti_access
// CHECK:       }
void stencil(const double *from, double *to, long n) {
  #pragma omp parallel for
  for (long i = 1; i < n - 1; ++i) to[i] = from[i - 1] + from[i] + from[i + 1];
}

// CHECK-LABEL: define internal void @apart.omp_outlined.tutti.accesses(
// CHECK-COUNT-3: call void @tutti_access(ptr {{.*}}, i64 8, i32 1,
// CHECK-NOT:     call void @tutti_access
// CHECK:       }
void apart(const double *from, double *to, long n, long shift) {
  #pragma omp parallel for
  for (long i = 0; i < n; ++i) to[i] = from[i] + from[i + shift];
}
