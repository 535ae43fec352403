// What a loop reads at computed addresses is found out before it runs: a function does what these
// addresses depend on, and nothing else.
// RUN: %tutticc -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s

// The matrix and the vector are listed; what says where a row begins, and the columns, is not.
// CHECK-LABEL: define internal void @product.omp_outlined.tutti.inspected(
// CHECK-NOT:     store
// CHECK-NOT:     {{load double|llvm.fma}}
// CHECK:         call void @tutti_touched(ptr {{.*}}, i64 {{.*}}, i64 8)
// CHECK-NOT:     {{load double|llvm.fma}}
// CHECK:         load i32
// CHECK-NOT:     {{load double|llvm.fma|call void @tutti_touched}}
// CHECK:         call void @tutti_touched(ptr {{.*}}, i64 {{.*}}, i64 8)
// CHECK-NOT:     {{store|call void @tutti_touched}}
// CHECK:       define internal void @product.omp_outlined.tutti.inspect(
// CHECK:       define internal void @product.omp_outlined.tutti.accesses(
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 8193, i64 {{.*}}, i64 {{.*}}, i64 4,
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 8193, i64 {{.*}}, i64 {{.*}}, i64 4,
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 2, i64
// CHECK-DAG:     call void @tutti_access(ptr {{.*}}, i32 4109, i64 [[VALUE:%[0-9]+]], i64 [[VALUE]], i64 1,
// CHECK-DAG:     call void @tutti_access(ptr {{.*}}, i32 8205, i64 [[COLUMN:%[0-9]+]], i64 [[COLUMN]], i64 1,
// CHECK-DAG:     call void @tutti_access(ptr {{.*}}, i32 4109, i64 [[X:%[0-9]+]], i64 [[X]], i64 1,
void product(int n, const int *start, const int *column, const double *value, const double *x,
             double *y) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++) sum += value[k] * x[column[k]];
    y[i] = sum;
  }
}

// What decides whether an iteration reads belongs to the index, or to the values that shape accesses.
// RUN: %tutticc -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s --check-prefix=VALUES
// VALUES: @[[SHAPING:tutti.shaping.[0-9]+]] = private constant [6 x i8] c"\01\01\01\01\01\01"{{$}}
// VALUES: @chosen.omp_outlined.tutti.region = {{.*}} ptr @[[SHAPING]],{{.*}} ptr @chosen.omp_outlined.tutti.inspect }
// CHECK-LABEL: define internal void @chosen.omp_outlined.tutti.inspect(
double limit;
void chosen(int n, const int *index, const double *x, const double *w, double *y) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (w[i] > limit) y[i] = x[index[i]];
}

// Rows that are found in memory are followed.
// CHECK-NOT: @rows.omp_outlined.tutti.inspect
void rows(int n, int m, const int *index, double *const *x, double *y) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) y[i] += x[i][index[j]];
}

// Nothing is to be found out where all addresses are in closed form, ...
// CHECK-NOT: @closed.omp_outlined.tutti.inspect
void closed(int n, const double *x, double *y) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) y[i] = x[i];
}

// ... but what is written is found out as well as what is read.
// CHECK-LABEL: define internal void @scatter.omp_outlined.tutti.inspected(
// CHECK-NOT:     {{store|load double}}
// CHECK:         call void @tutti_touched(ptr {{.*}}, i64 [[PLACE:%[0-9]+]], i64 8)
// CHECK-NOT:     {{store|load double}}
// CHECK:         call void @tutti_written(ptr {{.*}}, i64 {{.*}}, i64 8)
// CHECK-LABEL: define internal void @scatter.omp_outlined.tutti.accesses(
// CHECK-DAG:     call void @tutti_access(ptr {{.*}}, i32 8193,
// CHECK-DAG:     call void @tutti_access(ptr {{.*}}, i32 4238,
void scatter(int n, const int *index, const double *x, double *y) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) y[index[i]] += x[i];
}

// What a private variable is left with does not show in what iterations touch: nothing is told of writes.
// CHECK-NOT: @numbered.omp_outlined.tutti.inspect
// CHECK-NOT: @remembered.omp_outlined.tutti.inspect
void numbered(int n, const int *index, double *y) {
  int next = 0;
  #pragma omp parallel for firstprivate(next)
  for (int i = 0; i < n; i++) y[index[i]] = next++;
}
void remembered(int n, const int *index, const double *x, double *y) {
  double last[8] = {0};
  #pragma omp parallel for firstprivate(last)
  for (int i = 0; i < n; i++) {
    y[index[i]] = last[i & 7];
    last[index[i] & 7] = x[i];
  }
}
