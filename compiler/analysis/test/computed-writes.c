// A loop that writes at addresses without a closed form is for one place: what it writes counts as
// read and written as a whole (flags 14: write, at most, allocation; 6 where the size is known).
// RUN: %tutticc -g -fno-vectorize -Rpass-analysis=tutti -S -emit-llvm -o %t.ll %s 2> %t.remarks
// RUN: FileCheck --input-file %t.ll %s
// RUN: FileCheck --check-prefix REMARK --implicit-check-not "is distributed" --input-file %t.remarks %s
// Only kernels can run it apart from home: without any it is as if nothing were known.
// RUN: env TUTTI_TARGETS=none %tutticc -S -emit-llvm -o - %s 2>&1 | FileCheck --check-prefix PLAIN %s

// Distributable, a loop, indivisible.
// CHECK-DAG: @scatter.omp_outlined.tutti.region = {{.*}} { i32 3, i32 13,
// PLAIN-DAG: @scatter.omp_outlined.tutti.region = {{.*}} { i32 3, i32 4,
// PLAIN-DAG: remark: parallel loop stays on rank 0: it writes at addresses that are not in closed form
// PLAIN-NOT: @scatter.omp_outlined.tutti.accesses

// CHECK-LABEL: define internal void @scatter.omp_outlined.tutti.accesses(
// CHECK-DAG:     call void @tutti_access(ptr {{.*}}, i32 14, i64 %[[A:.*]], i64 %[[A]], i64 1, i32 0,
// CHECK-DAG:     call void @tutti_access(ptr {{.*}}, i32 6, i64 ptrtoint (ptr @known to i64), i64 ptrtoint (ptr @known to i64), i64 400, i32 0,
// CHECK:       }
int known[100];
void scatter(long n, double *a, const int *index, const double *b) {
  // REMARK: :[[@LINE+3]]:{{[0-9]+}}: remark: parallel loop stays on rank 0 or one device: it writes at addresses that are not in closed form (line [[@LINE+5]])
  // REMARK: remark: writes 'a' at computed addresses (line [[@LINE+4]]): every rank and device that takes part gets all of it
  // REMARK: remark: writes 'known' at computed addresses (line [[@LINE+4]])
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    a[index[i]] = b[i];
    known[index[i]] = 1;
  }
}

// Looking at iterations one by one does not help here.
// REMARK: remark: parallel loop stays on rank 0 or one device: it writes at addresses that are not in closed form (line [[@LINE+3]])
void square(long n, double *a) {
  #pragma omp parallel for
  for (unsigned i = 0; i < n; i++) a[(i ^ 5) % 7] = 1;
}

// Nobody knows the object.
// REMARK: remark: parallel loop stays on rank 0: it follows pointers that are loaded while the loop runs (line [[@LINE+3]])
void rows(long n, double **row, const int *index) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) row[index[i]][0] = 1;
}

// Atomic updates stay out.
// REMARK: remark: parallel loop stays on rank 0: it contains an atomic update
void histogram(long n, int *count, const int *index) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    #pragma omp atomic
    ++count[index[i]];
  }
}
