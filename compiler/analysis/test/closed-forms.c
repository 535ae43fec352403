// What a chunk touches: base, extents and conditions of every access.
// RUN: %tutticc -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s

// A contiguous write: lower * 8 bytes behind the base, upper - lower elements of 8 bytes.
// CHECK-LABEL: define internal void @triad.omp_outlined.tutti.accesses(
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 1, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 1, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 2, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK-NOT:     call void @tutti_access
// CHECK:       }
void triad(long n, double *a, double *b, double *c) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) a[i] = b[i] + 3 * c[i];
}

// A remainder that makes values only does not cut the chunk into pieces of three iterations.
// CHECK-LABEL: define internal void @cyclic.omp_outlined.tutti.accesses(
// CHECK-NOT:     rem
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 2, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK-NOT:     rem
// CHECK:       }
void cyclic(long n, double *a) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) a[i] = i % 3;
}

// A write under a condition that differs between iterations is "at most" (2 + 4).
// CHECK-LABEL: define internal void @conditional.omp_outlined.tutti.accesses(
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 6,
// CHECK:       }
void conditional(long n, double *a, double *b) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++)
    if (b[i] > 0) a[i] = 1;
}

// A condition that is the same for all iterations guards the record, which stays exact.
// CHECK-LABEL: define internal void @uniform.omp_outlined.tutti.accesses(
// CHECK:         br i1
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 2,
// CHECK:       }
void uniform(long n, double *a, int all) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++)
    if (all) a[i] = 1;
}

// An index array: its own elements in closed form, what it leads to anywhere in the allocation.
// CHECK-LABEL: define internal void @indexed.omp_outlined.tutti.accesses(
// CHECK-DAG:     call void @tutti_access(ptr {{.*}}, i32 8193, i64 {{.*}}, i64 {{.*}}, i64 4, i32 1,
// CHECK-DAG:     call void @tutti_access(ptr {{.*}}, i32 4109,
// CHECK:       }
void indexed(long n, double *a, const double *b, const int *index) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) a[i] = b[index[i]];
}

// What only a reduction uses is read all the same, and so are the values it needs: n, a and b.
// CHECK-LABEL: define internal void @dot.omp_outlined.tutti.gather(
// CHECK-COUNT-3: call i64 @tutti_block(
// CHECK-LABEL: define internal void @dot.omp_outlined.tutti.accesses(
// CHECK-COUNT-2: call void @tutti_access(ptr {{.*}}, i32 1, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
double dot(long n, const double *a, const double *b) {
  double s = 0;
  #pragma omp parallel for reduction(+ : s)
  for (long i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}

// Behind an inner loop its counter has the last value: each iteration writes a single element.
// CHECK-LABEL: define internal void @behind.omp_outlined.tutti.accesses(
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 2, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK:       }
void behind(long n, long m, double *restrict a, const double *restrict b) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    long j = 0;
    double s = 0;
    do {
      s += b[j];
      j += 3;
    } while (j < m);
    a[i * 1000 + j] = s;
  }
}

// A variable of the file that has one value once it is set is a bit in memory by now: it gives the
// number of iterations like any other.
// CHECK-LABEL: define internal {{.*}} @setOnce.omp_outlined.tutti.trip(
// CHECK:         trunc i8 {{.*}} to i1
// CHECK:         select i1 {{.*}}, i64 1400, i64 0
// CHECK:       }
static int last;
static double held[1402];
void setOnce(void) {
  last = 1400;
  for (int turn = 0; turn < 3; turn++) {
    #pragma omp parallel for
    for (int i = 1; i <= last; i++) held[i] = 2 * held[i] + i;
  }
}
double readHeld(int i) { return held[i]; }
