// Kernels of one dimension stage what the work-items of a group load alike: in the place of the flat kernel
// where nothing can be in the way, else beside it, for launches whose objects are disjoint.
// RUN: env TUTTI_TARGETS=print %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s
// RUN: env TUTTI_TARGETS=ptx,opencl %tutticc -emit-llvm -S -o - %s 2>/dev/null | FileCheck %s --check-prefix=MAPPING

typedef struct {
  double place, weight;
} Source;

typedef struct {
  double sum;
} Result;

// CHECK-LABEL: define void @tutti_typed_omp_outlined_flat(
// CHECK:         call ptr @tutti.local.array(i32 2048)
// CHECK:         call void @tutti.barrier()
// CHECK-LABEL: ModuleID
// MAPPING: @typed{{.*}}.kernel.name = {{.*}}c"tutti_typed_omp_outlined_flat\00"
void typed(long n, long m, const Source *from, Result *to) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    double sum = 0;
    for (long j = 0; j < m; j++) sum += from[j].weight * (from[j].place - (double)i);
    to[i].sum += sum;
  }
}

// CHECK-LABEL: define void @tutti_untyped_omp_outlined_staged(
// CHECK:         call ptr @tutti.local.array(i32 1024)
// CHECK-LABEL: define void @tutti_untyped_omp_outlined_flat(
// CHECK-NOT:     tutti.local.array
// CHECK:       }
// MAPPING: @untyped{{.*}}.kernel.name = {{.*}}c"tutti_untyped_omp_outlined_staged\00"
// MAPPING: @untyped{{.*}}.kernel.name{{.*}} = {{.*}}c"tutti_untyped_omp_outlined_flat\00"
// MAPPING: @untyped{{.*}}.mappings = {{.*}} { i32 1, i32 1, {{.*}} { i32 1, i32 0,
void untyped(long n, long m, const double *from, double *to) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    double sum = to[i];
    for (long j = 0; j < m; j++) sum += from[j] * from[j];
    to[i] = sum;
  }
}

// One array is read and written.
// CHECK-LABEL: define void @tutti_same_omp_outlined_flat(
// CHECK-NOT:     tutti.local.array
// CHECK-LABEL: ModuleID
void same(long n, long m, double *values) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    double sum = 0;
    for (long j = 0; j < m; j++) sum += values[j];
    values[m + i] = sum;
  }
}

// The loop over all pairs goes on in a reduction, whose combination needs little local memory.
// CHECK-LABEL: define void @tutti_energy_omp_outlined_flat(
// CHECK:         call ptr @tutti.local.array(i32 2048)
// CHECK:         call ptr @tutti.local.memory()
// CHECK-LABEL: ModuleID
double energy(long n, const Source *from) {
  double all = 0;
  #pragma omp parallel for reduction(+ : all)
  for (long i = 0; i < n; i++) {
    double sum = 0;
    for (long j = 0; j < n; j++) sum += from[j].weight / (1 + from[j].place * (double)i);
    all += sum;
  }
  return all;
}

// This one needs too much of it.
// CHECK-LABEL: define void @tutti_moments_omp_outlined_flat(
// CHECK-NOT:     tutti.local.array
// CHECK-LABEL: ModuleID
void moments(long n, const Source *from, double *result) {
  double all[3] = {0, 0, 0};
  #pragma omp parallel for reduction(+ : all)
  for (long i = 0; i < n; i++) {
    double sum = 0;
    for (long j = 0; j < n; j++) sum += from[j].weight / (1 + from[j].place * (double)i);
    all[0] += sum;
    all[1] += sum * (double)i;
    all[2] += sum * (double)(i * i);
  }
  for (int k = 0; k < 3; k++) result[k] = all[k];
}

// 160 bytes an iteration.
// CHECK-LABEL: define void @tutti_large_omp_outlined_flat(
// CHECK-NOT:     tutti.local.array
// CHECK-LABEL: ModuleID
void large(long n, long m, const double (*restrict from)[20], Result *restrict to) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    double sum = 0;
    for (long j = 0; j < m; j++) {
      double product = 1;
      for (int k = 0; k < 20; k++) product *= from[j][k] - (double)i;
      sum += product;
    }
    to[i].sum = sum;
  }
}

// The flat kernel that stands behind a nest runs rarely, and stays small.
// CHECK-LABEL: define void @tutti_nest_omp_outlined_flat(
// CHECK-NOT:     tutti.local.array
// CHECK-LABEL: define void @tutti_nest_omp_outlined_nest(
void nest(long n, long m, long rows, const double *restrict from, float *restrict to) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    double sum = 0;
    for (long j = 0; j < m; j++) sum += from[j] * (double)i;
    for (long j = 0; j < m; j++) to[i * rows + j] = (float)sum;
  }
}
