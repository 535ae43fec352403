// What a loop writes at addresses without a closed form counts as read and written as a whole, by
// all parts of it (flags 142: write, at most, allocation, scattered; 134 where the size is known; and 4096, as an inspector reports them).
// RUN: %tutticc -g -fno-vectorize -Rpass-analysis=tutti -S -emit-llvm -o %t.ll %s 2> %t.remarks
// RUN: FileCheck --input-file %t.ll %s
// RUN: FileCheck --check-prefix REMARK --input-file %t.remarks %s
// It needs no kernel.
// RUN: env TUTTI_TARGETS=none %tutticc -S -emit-llvm -o - %s | FileCheck %s

// Distributable, a loop, scatters; one that only reads at such addresses does not.
// CHECK-DAG: @scatter.omp_outlined.tutti.region = {{.*}} { i32 {{[0-9]+}}, i32 4109,
// CHECK-DAG: @gather.omp_outlined.tutti.region = {{.*}} { i32 {{[0-9]+}}, i32 4101,
// CHECK-DAG: @histogram.omp_outlined.tutti.region = {{.*}} { i32 {{[0-9]+}}, i32 4101,

// CHECK-LABEL: define internal void @scatter.omp_outlined.tutti.accesses(
// CHECK-DAG:     call void @tutti_access(ptr {{.*}}, i32 4238, i64 %[[A:.*]], i64 %[[A]], i64 1, i32 0,
// CHECK-DAG:     call void @tutti_access(ptr {{.*}}, i32 4230, i64 ptrtoint (ptr @known to i64), i64 ptrtoint (ptr @known to i64), i64 400, i32 0,
// CHECK:       }
int known[100];
void scatter(long n, double *a, const int *index, const double *b) {
  // REMARK: :[[@LINE+3]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  // REMARK: remark: writes 'a' at computed addresses (line [[@LINE+4]]): every rank and device that takes part gets all of it, and what each of them changes is merged
  // REMARK: remark: writes 'known' at computed addresses (line [[@LINE+4]])
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    a[index[i]] = b[i];
    known[index[i]] = 1;
  }
}

// Looking at iterations one by one does not help here.
// REMARK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
void square(long n, double *a) {
  #pragma omp parallel for
  for (unsigned i = 0; i < n; i++) a[(i ^ 5) % 7] = 1;
}

// REMARK: remark: reads 'a' at computed addresses (line [[@LINE+3]]): every rank and device that takes part gets all of it [
void gather(long n, const double *a, const int *index, double *b) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) b[i] = a[index[i]];
}

// Nobody knows the object.
// REMARK: remark: parallel loop stays on rank 0: it writes through pointers that it finds in 'row' while it runs (line [[@LINE+3]])
void rows(long n, double **row, const int *index) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) row[index[i]][0] = 1;
}

// What is updated atomically is combined: besides the above updated, and sums of int or double
// (abi/updates.h). A region does not scatter for that.
// REMARK: :[[@LINE+5]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
// CHECK-LABEL: define internal void @histogram.omp_outlined.tutti.accesses(
// CHECK-DAG: call void @tutti_access(ptr {{.*}}, i32 3213454, i64 %{{.*}}, i64 %{{.*}}, i64 1, i32 0,
// CHECK-DAG: call void @tutti_access(ptr {{.*}}, i32 10553486, i64 %{{.*}}, i64 %{{.*}}, i64 1, i32 0,
void histogram(long n, int *count, double *sum, const int *index) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    #pragma omp atomic
    ++count[index[i]];
    #pragma omp atomic
    sum[i / 2] -= 2;
  }
}

// What an update finds is of use.
// REMARK: remark: parallel loop stays on rank 0: it contains an atomic update
void slots(long n, int *count, int *slot) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    #pragma omp atomic capture
    slot[i] = (*count)--;
  }
}

// Each thread adds once: ranks would add once each.
// REMARK: remark: parallel loop stays on rank 0: {{.*}}
void threads(long n, int *count, double *sum) {
  #pragma omp parallel
  {
    #pragma omp for nowait
    for (long i = 0; i < n; i++) sum[i] = 1;
    #pragma omp atomic
    *count += 1;
  }
}
