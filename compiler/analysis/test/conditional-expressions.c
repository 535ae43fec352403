// A conditional expression reads one of several places: each is a record, exact where the condition
// is the same for all iterations, else at most (flags 5).
// RUN: %tutticc -g -fno-vectorize -Rpass-analysis=tutti -S -emit-llvm -o %t.ll %s 2> %t.remarks
// RUN: FileCheck --input-file %t.ll %s
// RUN: FileCheck --check-prefix REMARK --implicit-check-not "remark: reads" --implicit-check-not "has no device kernel" --input-file %t.remarks %s

// CHECK-LABEL: define internal void @joined.omp_outlined.tutti.accesses(
// CHECK-COUNT-2: call void @tutti_access(ptr {{.*}}, i32 5, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 2, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK-NOT:     call void @tutti_access
// CHECK:       }
void joined(long n, long m, long *a, const long *b, const long *c) {
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (long i = 0; i < n; i++) a[i] = i < m ? b[i] : c[i];
}

// What is not read from memory is a value.
// CHECK-LABEL: define internal void @limited.omp_outlined.tutti.accesses(
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 5, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK-NOT:     call void @tutti_access(ptr {{.*}}, i32 5,
// CHECK:       }
void limited(long n, long *a, const long *b, const long *c, long most) {
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (long i = 0; i < n; i++) a[i] = c[i] > 5 ? b[i] : most;
}

// Indices: neighbours on a ring, and at a border that repeats what is inside.
// CHECK-LABEL: define internal void @ring.omp_outlined.tutti.accesses(
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 5, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 5, i64 {{.*}}, i64 {{.*}}, i64 8, i32 0,
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 2, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK-NOT:     call void @tutti_access
// CHECK:       }
void ring(long n, long *a, const long *b) {
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (long i = 0; i < n; i++) a[i] = b[i ? i - 1 : n - 1];
}

// CHECK-LABEL: define internal void @clamped.omp_outlined.tutti.accesses(
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 5, i64 {{.*}}, i64 {{.*}}, i64 8, i32 0,
// CHECK:         %[[FLAGS:.*]] = select i1 %{{.*}}, i32 5, i32
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 %[[FLAGS]], i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 2, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK-NOT:     call void @tutti_access
// CHECK:       }
void clamped(int n, long *a, const long *b) {
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = b[i > 3 ? i - 3 : 0];
}

// A pointer that an iteration chooses, for an inner loop to read through.
// CHECK-LABEL: define internal void @rows.omp_outlined.tutti.accesses(
// CHECK-DAG:     call void @tutti_access(ptr {{.*}}, i32 2, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK-DAG:     call void @tutti_access(ptr {{.*}}, i32 5, i64 {{.*}}, i64 {{.*}}, i64 8, i32 2,
// CHECK-DAG:     call void @tutti_access(ptr {{.*}}, i32 5, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK:       }
void rows(long n, long *a, const long *b, const long *c) {
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    const long *row = i % 3 ? &b[i * n] : c;
    long sum = 0;
    for (long j = 0; j < n; j++) sum = sum * 3 + row[j];
    a[i] = sum;
  }
}

// A condition that is known before the loop guards the records.
// CHECK-LABEL: define internal void @known.omp_outlined.tutti.accesses(
// CHECK-COUNT-2: call void @tutti_access(ptr {{.*}}, i32 1, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK-COUNT-2: call void @tutti_access(ptr {{.*}}, i32 2, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK-NOT:     call void @tutti_access
// CHECK:       }
void known(long n, long m, long *a, const long *b, const long *c) {
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    const long *from = m > 5 ? &b[i] : &c[n - i];
    long *to = m & 1 ? &a[i] : &a[2 * n - i];
    *to = *from;
  }
}

// Places that may be written (flags 6).
// CHECK-LABEL: define internal void @written.omp_outlined.tutti.accesses(
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 1, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK-COUNT-2: call void @tutti_access(ptr {{.*}}, i32 6, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK-NOT:     call void @tutti_access
// CHECK:       }
void written(long n, long *a, long *b, const long *c) {
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (long i = 0; i < n; i++) *(c[i] % 3 ? &a[i] : &b[i]) = i;
}

// If one of the places is looked up, that object is read as a whole, and the other is not.
// CHECK-LABEL: define internal void @looked.omp_outlined.tutti.accesses(
// CHECK-DAG:     call void @tutti_access(ptr {{.*}}, i32 5, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK-DAG:     call void @tutti_access(ptr {{.*}}, i32 13,
// CHECK:       }
void looked(long n, long *a, const long *b, const long *c, const int *index) {
  // REMARK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: reads 'c' at computed addresses
  #pragma omp parallel for
  for (long i = 0; i < n; i++) a[i] = i % 3 ? b[i] : c[index[i]];
}

// Pointers that are found in memory count where they are chosen.
// CHECK-LABEL: define internal void @found.omp_outlined.tutti.accesses(
// CHECK:         call i64 @tutti_follow(
// CHECK:       }
void found(long n, long *a, long *const *table, const long *other) {
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    const long *row = table[i] ? table[i] : other;
    a[i] = row[0] + row[i];
  }
}

// A pointer that comes round a loop is no choice.
void stepped(long n, long *a, const long *b, const long *c) {
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it chooses between pointers while it runs
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    const long *from = b;
    for (long j = 0; j < n; j++) {
      a[i] += *from;
      if (c[j]) from += 2;
    }
  }
}
