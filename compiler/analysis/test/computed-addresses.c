// What is read at addresses without a closed form counts as read as a whole: a variable whose size is
// known here, or (flags 13: read, at most, allocation) what the runtime finds at the pointer.
// RUN: %tutticc -g -fno-vectorize -Rpass-analysis=tutti -S -emit-llvm -o %t.ll %s 2> %t.remarks
// RUN: FileCheck --input-file %t.ll %s
// RUN: FileCheck --check-prefix REMARK --implicit-check-not "remark: reads" --input-file %t.remarks %s

// A heap array: its allocation. The index and the result are closed.
// CHECK-LABEL: define internal void @gather.omp_outlined.tutti.accesses(
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 8193, i64 {{.*}}, i64 {{.*}}, i64 4, i32 1,
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 2, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 4109, i64 %[[X:.*]], i64 %[[X]], i64 1, i32 0,
// CHECK-NOT:     call void @tutti_access
// CHECK:       }
void gather(long n, double *a, const double *x, const int *index) {
  // REMARK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: reads 'x' at computed addresses (line [[@LINE+2]]): every rank and device that takes part gets all of it
  #pragma omp parallel for
  for (long i = 0; i < n; i++) a[i] = x[index[i]];
}

// A sparse matrix: values, columns and the vector; not the row starts.
// CHECK-LABEL: define internal void @sparse.omp_outlined.tutti.accesses(
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 2, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK-COUNT-3: call void @tutti_access(ptr {{.*}}, i32 {{4109|8205}}, i64
// CHECK-NOT:     call void @tutti_access
// CHECK:       }
void sparse(int n, const int *start, const int *column, const double *value, const double *x,
            double *y) {
  // REMARK: remark: reads 'value' at computed addresses (line [[@LINE+6]])
  // REMARK: remark: reads 'column' at computed addresses (line [[@LINE+5]])
  // REMARK: remark: reads 'x' at computed addresses (line [[@LINE+4]])
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++) sum += value[k] * x[column[k]];
    y[i] = sum;
  }
}

// Variables: exactly what is defined here, and what another module defines as the runtime knows it.
// CHECK-LABEL: define internal void @variables.omp_outlined.tutti.accesses(
// CHECK-DAG:     call void @tutti_access(ptr {{.*}}, i32 4097, i64 ptrtoint (ptr @here to i64), i64 ptrtoint (ptr @here to i64), i64 800, i32 0,
// CHECK-DAG:     call void @tutti_access(ptr {{.*}}, i32 4109, i64 ptrtoint (ptr @open to i64), i64 ptrtoint (ptr @open to i64), i64 1, i32 0,
// CHECK-DAG:     call void @tutti_access(ptr {{.*}}, i32 4109, i64 ptrtoint (ptr @sized to i64), i64 ptrtoint (ptr @sized to i64), i64 1, i32 0,
// CHECK:       }
double here[100];
extern double open[];
extern double sized[100];
void variables(long n, double *a, const int *index) {
  // REMARK: remark: reads 'here' at computed addresses
  // REMARK: remark: reads 'open' at computed addresses
  // REMARK: remark: reads 'sized' at computed addresses
  #pragma omp parallel for
  for (long i = 0; i < n; i++) a[i] = here[index[i]] + open[index[i]] + sized[index[i]];
}

// A private variable of the function around the loop: its own bytes. Of one whose size is not
// constant the runtime takes what is live of the stack.
// CHECK-LABEL: define internal void @local.omp_outlined.tutti.accesses(
// CHECK-DAG:     call void @tutti_access(ptr {{.*}}, i32 4097, i64 %[[FIXED:.*]], i64 %[[FIXED]], i64 160, i32 0,
// CHECK-DAG:     call void @tutti_access(ptr {{.*}}, i32 4109, i64 %[[SIZED:.*]], i64 %[[SIZED]], i64 1, i32 0,
// CHECK:       }
void fill(double *, double *);
void local(long n, double *a, const int *index) {
  double fixed[20];
  double sized[n];
  fill(fixed, sized);
  // REMARK: remark: reads 'fixed' at computed addresses
  // REMARK: remark: reads 'sized' at computed addresses
  #pragma omp parallel for
  for (long i = 0; i < n; i++) a[i] = fixed[index[i]] + sized[index[i]];
}

// Conditions that differ between iterations do not guard the record: rank 0 looks the object up in
// the first one. Those that do not differ do.
// CHECK-LABEL: define internal void @guarded.omp_outlined.tutti.accesses.few(
// CHECK:         %[[I:.*]] = phi i64
// CHECK:         icmp sge i64 %[[I]],
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 2, i64 {{.*}}, i64 {{.*}}, i64 8, i32 0,
// CHECK-NOT:     i64 %[[I]],
// CHECK:         icmp sgt i64 %{{.*}}, 1
// CHECK-NOT:     i64 %[[I]],
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 4109,
// CHECK:       }
void guarded(long n, long k, long m, double *a, const double *x, const int *index) {
  // REMARK: remark: reads 'x' at computed addresses
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    if (i >= k && m > 1) a[i] = x[index[i]];
  }
}

// A constant of another module may be computed at the start of the program (64): the runtime sees
// where it lies. One whose value is known here is no access.
// CHECK-LABEL: define internal void @constants.omp_outlined.tutti.accesses(
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 65, i64 ptrtoint (ptr @there to i64), i64 {{.*}}, i64 8, i32 1,
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 77, i64 ptrtoint (ptr @there to i64), i64 ptrtoint (ptr @there to i64), i64 1, i32 0,
// CHECK-NOT:     @known
// CHECK:       }
static const double known[5] = {3, 1, 4, 1, 5};
extern const double there[100];
void constants(long n, double *a, const int *index) {
  // REMARK: remark: reads 'there' at computed addresses
  #pragma omp parallel for
  for (long i = 0; i < 100; i++) a[i] = there[i] + there[index[i]] + known[index[i]];
}

// What is found in a table of pointers has no known object: see found-pointers.c.
// REMARK: :[[@LINE+2]]:{{[0-9]+}}: remark: reads 'row' at computed addresses
void rows(long n, double *a, double **row, const int *index) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) a[i] = row[index[i]][0];
}

// A remainder is no counter, of which it would be assumed that it does not wrap.
// CHECK-LABEL: define internal void @masked.omp_outlined.tutti.accesses(
// CHECK-DAG:     call void @tutti_access(ptr {{.*}}, i32 2, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK-DAG:     call void @tutti_access(ptr {{.*}}, i32 4109, i64 %[[TABLE:.*]], i64 %[[TABLE]], i64 1, i32 0,
// CHECK:       }
// REMARK: remark: reads 'table' at computed addresses (line [[@LINE+3]])
void masked(int n, double *restrict a, const double *restrict table) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = table[i & 63] + table[i & 255];
}
