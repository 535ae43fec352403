// Rows of arrays of pointers: access functions walk through the loops in which the pointers vary,
// and report the columns of each row.
// RUN: %tutticc -g -fno-vectorize -Rpass-analysis=tutti -S -emit-llvm -o %t.ll %s 2> %t.remarks
// RUN: FileCheck --input-file %t.ll %s
// RUN: FileCheck --check-prefix REMARK --input-file %t.remarks %s

// Distributable, a loop, follows; what has only a capture does not.
// CHECK-DAG: @rows.omp_outlined.tutti.region = {{.*}} { i32 {{[0-9]+}}, i32 4117,
// CHECK-DAG: @lengths.omp_outlined.tutti.region = {{.*}} { i32 {{[0-9]+}}, i32 4117,
// CHECK-DAG: @flat.omp_outlined.tutti.region = {{.*}} { i32 {{[0-9]+}}, i32 4101,

// The table is read as a whole; of each row that it leads to the columns (1025: read, followed).
// CHECK-LABEL: define internal void @rows.omp_outlined.tutti.accesses(
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 1, i64 %[[A:.*]], i64 %{{.*}}, i64 8, i32 1,
// CHECK:       = phi i64 [ 0, %{{.*}}
// CHECK:         %[[ROW:.*]] = call i64 @tutti_follow(ptr {{.*}}, i32 8)
// CHECK:         %[[NULL:.*]] = icmp eq i64 %[[ROW]], 0
// CHECK:         %[[FLAGS:.*]] = select i1 %[[NULL]], i32 0, i32 1025
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 %[[FLAGS]], i64 %[[ROW]], i64 {{.*}}, i64 8, i32 1,
// CHECK:       }
// REMARK: :[[@LINE+3]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
// REMARK: :[[@LINE+2]]:{{[0-9]+}}: remark: kernel over 2 loops
void rows(int n, int m, double **a, double **restrict b) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) b[i][j] = a[i][j];
}

// How long a row is lies beside its pointer, which says how much of it is written (1026).
// CHECK-LABEL: define internal void @lengths.omp_outlined.tutti.accesses(
// CHECK:       = phi i64 [ 0, %{{.*}}
// CHECK-DAG:     call i64 @tutti_follow(ptr {{.*}}, i32 8)
// CHECK-DAG:     call i64 @tutti_follow(ptr {{.*}}, i32 4)
// CHECK:         i32 1026
// CHECK:       }
struct row {
  int length;
  double *values;
};

// REMARK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
void lengths(int n, struct row *rows) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < rows[i].length; j++) rows[i].values[j] = i;
}

// Whether the places differ is told at launch.
// REMARK: :[[@LINE+3]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
// REMARK: :[[@LINE+2]]:{{[0-9]+}}: remark: kernel over 2 loops
void neighbours(int n, int m, double **a, const int *index) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[2 * i][j] = a[2 * i + index[0]][j];
}

// The optimiser carries the pointers to rows from one iteration to the next: they are followed all
// the same.
// REMARK: :[[@LINE+3]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
// REMARK: :[[@LINE+2]]:{{[0-9]+}}: remark: kernel over 2 loops
void carried(int n, double **a, double **restrict b) {
  #pragma omp parallel for
  for (int i = 1; i < n; i++)
    for (int j = 1; j < 63; j++) b[i][j] = a[i - 1][j] + a[i][j];
}

// Two levels of pointers: only the first one's places are compared.
// REMARK: :[[@LINE+3]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
// REMARK: :[[@LINE+2]]:{{[0-9]+}}: remark: kernel over 1 loop: an inner loop writes through a pointer that may lead to other data
void planes(int n, double ***a, double ***b) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[i][0][j] = b[i][0][j];
}

void flat(int n, double *a) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = i;
}
