// Where code beside the inner loops touches what they write, a group executes an iteration: all of
// its work-items do what lies outside, one stores, barriers order this, and the items share the inner
// loops. It holds if these are long; behind it stands the mapping of whole iterations, which is the
// only one in OpenCL C, where such barriers cannot be counted on.
// RUN: env TUTTI_TARGETS=print %tutticc -S -emit-llvm -o - %s 2>&1 | FileCheck %s
// RUN: %tutticc -Rpass-analysis=tutti -c -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: env TUTTI_TARGETS=opencl %tutticc -S -emit-llvm -o - %s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CL --implicit-check-not="void tutti_scale_omp_outlined_group("
double step(double);

// CHECK-LABEL: define void @tutti_scale_omp_outlined_group(
// CHECK-SAME:    #[[BY:[0-9]+]] {
// CHECK-DAG:     %[[ID:.*]] = call i32 @tutti.local.id()
// CHECK-DAG:     %[[COUNT:.*]] = call i32 @tutti.local.count()
// CHECK-DAG:     %[[FIRST:.*]] = icmp eq i32 %[[ID]], 0
// CHECK-DAG:     %[[GROUP:.*]] = call i64 @tutti.group.id()
// CHECK:         phi i64 {{.*}}%[[GROUP]]
// CHECK:         load double
// CHECK:         call void @tutti.memory.barrier()
// CHECK-NEXT:    br i1 %[[FIRST]]
// CHECK:         call void @tutti.memory.barrier()
// CHECK-NOT:     call void @tutti.memory.barrier()
// CHECK:       }
// CHECK:       attributes #[[BY]] = { {{.*}}"tutti-by-groups"
// REMARK: kernel over 1 loop, by groups: results are written or combined outside of the inner loop
// CL-DAG: @scale.omp_outlined.kernel.text = {{.*}}void tutti_scale_omp_outlined_flat(
// CL-DAG: @scale.omp_outlined.mappings = {{.*}} { i32 2, i32 2, {{.*}}tutti.extents }, {{.*}} { i32 1, i32 0, {{.*}}@tutti.extents.chunk }]
void scale(long n, double (*a)[300]) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    const double first = a[i][0];
    a[i][0] = 1;
    for (long j = 1; j < 300; j++)
      a[i][j] /= first;
  }
}

// A nest that holds if the column is none of those written, then groups, then whole rows. The test
// at launch is the length of rows.
// REMARK: kernel over 2 loops, or 1 by groups
// CL-DAG: @paths.omp_outlined.mappings = {{.*}} { i32 2, i32 0, {{.*}} { i32 2, i32 2, {{.*}} { i32 1, i32 0,
void paths(long n, long k, double *d) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    const double first = d[i * n + k];
    for (long j = 0; j < n; j++)
      d[i * n + j] = first + d[k * n + j] < d[i * n + j] ? first + d[k * n + j] : d[i * n + j];
  }
}

// What no condition can make wrong has no other mappings.
// REMARK: kernel over 2 loops [
void add(long n, double (*a)[300]) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++)
    for (long j = 0; j < 300; j++)
      a[i][j] += i;
}

// A sum over the row is no work that the items of a group could share.
// REMARK: kernel over 1 loop: {{.*}}
void normalise(long n, double (*a)[300]) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    double sum = 0;
    for (long j = 0; j < 300; j++)
      sum += a[i][j];
    for (long j = 0; j < 300; j++)
      a[i][j] /= sum;
  }
}

// Reductions of the region stay with the work-items.
// REMARK: kernel over 1 loop: {{.*}}
double total(long n, double (*a)[300]) {
  double sum = 0;
  #pragma omp parallel for reduction(+ : sum)
  for (long i = 0; i < n; i++) {
    const double first = a[i][0];
    a[i][0] = 2;
    for (long j = 1; j < 300; j++)
      a[i][j] *= first;
    sum += first;
  }
  return sum;
}
