// Records that hold for single rows or iterations, under conditions, or if nothing wraps around.
// RUN: %tutticc -fno-vectorize -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s

// Of two loops in one the inner counter is a remainder: chunks are cut at rows, and of each row the
// record is exact. b is read along a column.
// CHECK-LABEL: define internal void @rows.omp_outlined.tutti.accesses(
// CHECK:         %[[ROW:.*]] = phi i64
// CHECK:         srem i64 %[[ROW]],
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 1, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 2, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK-NOT:     call void @tutti_access
// CHECK:         %[[MORE:.*]] = icmp slt i64 %{{.*}}, %3
// CHECK-NEXT:    br i1 %[[MORE]],
// CHECK:       }
void rows(long n, long m, double *a, double *b) {
  #pragma omp parallel for collapse(2)
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++) a[i * m + j] = b[j * n + i];
}

// A numerator without sign ends its row also where it wraps around.
// CHECK-LABEL: define internal void @shifted.omp_outlined.tutti.accesses(
// CHECK:         %[[FIRST:.*]] = zext i32 %{{.*}} to i64
// CHECK:         %[[REST:.*]] = urem i64 %[[FIRST]], 1000
// CHECK:         %[[ROW:.*]] = sub i64 999, %[[REST]]
// CHECK:         %[[RANGE:.*]] = sub i64 4294967295, %[[FIRST]]
// CHECK:         call i64 @llvm.umin.i64(i64 %[[ROW]], i64 %[[RANGE]])
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 %{{.*}}, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK:       }
void shifted(unsigned n, unsigned off, double *a) {
  #pragma omp parallel for
  for (unsigned i = 0; i < n; i++) a[(i - off) % 1000] = 1;
}

// An inner loop whose length depends on the outer counter: iterations are reported one by one, each
// exactly.
// CHECK-LABEL: define internal void @triangular.omp_outlined.tutti.accesses(
// CHECK:         %[[I:.*]] = phi i64
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 2, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK:         %[[MORE:.*]] = icmp slt i64 %{{.*}}, %3
// CHECK-NEXT:    br i1 %[[MORE]],
// CHECK:       }
void triangular(long n, double *a) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++)
    for (long j = 0; j <= i; j++) a[i * n + j] = 1;
}

// A rectangle next to it needs no loop.
// CHECK-LABEL: define internal void @rectangle.omp_outlined.tutti.accesses(
// CHECK-NOT:     phi i64
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 2,
// CHECK-NOT:     phi i64
// CHECK:       }
void rectangle(long n, double *a) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) a[i * n + j] = 1;
}

// Conditions on the counter: decided for each iteration, and exact.
// CHECK-LABEL: define internal void @above.omp_outlined.tutti.accesses.few(
// CHECK:         %[[I:.*]] = phi i64
// CHECK:         icmp slt i64 %[[I]],
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 2, i64 {{.*}}, i64 {{.*}}, i64 8, i32 0,
// CHECK:       }
void above(long n, long k, double *a) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++)
    if (i >= k) a[i] = 1;
}

// CHECK-LABEL: define internal void @except.omp_outlined.tutti.accesses.few(
// CHECK:         %[[I:.*]] = phi i64
// CHECK:         icmp eq i64 %[[I]],
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 2, i64 {{.*}}, i64 {{.*}}, i64 8, i32 0,
// CHECK:       }
void except(long n, long k, double *a) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++)
    if (i != k) a[i] = 1;
}

// CHECK-LABEL: define internal void @odd.omp_outlined.tutti.accesses.few(
// CHECK:         %[[I:.*]] = phi i64
// CHECK:         %[[BIT:.*]] = trunc i64 %[[I]] to i1
// CHECK-NEXT:    %[[WIDE:.*]] = zext i1 %[[BIT]] to i64
// CHECK-NEXT:    icmp eq i64 %[[WIDE]], 0
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 2, i64 {{.*}}, i64 {{.*}}, i64 8, i32 0,
// CHECK:       }
void odd(long n, double *a) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++)
    if (i % 2) a[i] = 1;
}

// An index in 32 bits without sign may wrap around: if the largest is too large, the record says
// that it does not hold (16).
// CHECK-LABEL: define internal void @narrow.omp_outlined.tutti.accesses(
// CHECK:         icmp sge i64 %{{.*}}, 0
// CHECK:         %[[MOST:.*]] = icmp sle i64 %{{.*}}, 4294967295
// CHECK:         %[[FITS:.*]] = and i1 %{{.*}}, %[[MOST]]
// CHECK:         %[[FLAGS:.*]] = select i1 %[[FITS]], i32 2, i32 16
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 %[[FLAGS]],
// CHECK:       }
void narrow(unsigned n, unsigned shift, double *a) {
  #pragma omp parallel for
  for (unsigned i = 0; i < n; i++) a[i + shift] = 1;
}

// With a sign that is not the program's right, and nothing is asked.
// CHECK-LABEL: define internal void @narrow_signed.omp_outlined.tutti.accesses(
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 2,
// CHECK:       }
void narrow_signed(int n, int shift, double *a) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i + shift] = 1;
}

// What a reduction does to the original variable: read and written by the first chunk only.
// CHECK-LABEL: define internal void @original.omp_outlined.tutti.accesses(
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 1, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK:         icmp eq i64 {{.*}}, 0
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 37, i64 %[[TOTAL:.*]], i64 %[[TOTAL]], i64 8, i32 0,
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 34, i64 %[[TOTAL]], i64 %[[TOTAL]], i64 8, i32 0,
// CHECK:       }
double total;
void original(long n, const double *a) {
  #pragma omp parallel for reduction(+ : total)
  for (long i = 0; i < n; i++) total += a[i];
}
