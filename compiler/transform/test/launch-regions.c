// A fork becomes a launch; the region's home function runs the chunk that is the whole construct, and
// the outlined function goes.
// RUN: %tutticc -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s

// CHECK-DAG: @sum.omp_outlined.tutti.region = internal constant %struct.tutti_region { i32 {{[0-9]+}}, i32 4103,
// CHECK-DAG: @sum.omp_outlined.tutti.entry = internal constant ptr @sum.omp_outlined.tutti.region, section "tutti_regions"

// CHECK-LABEL: define {{.*}} @sum(
// CHECK-NOT:     @__kmpc_fork_call
// CHECK:         call void @tutti_launch(ptr nonnull @sum.omp_outlined.tutti.region, ptr
// CHECK-NOT:   define {{.*}} @sum.omp_outlined(
// CHECK:       define internal void @sum.omp_outlined.tutti.home(
// CHECK-NEXT:    call void @sum.omp_outlined.tutti.run(ptr {{.*}}, ptr @tutti.whole)
double sum(long n, const double *a) {
  double s = 0;
  #pragma omp parallel for reduction(+ : s)
  for (long i = 0; i < n; i++) s += a[i];
  return s;
}

// Without optimisation nothing is divided.
// RUN: %tutticc -O0 -S -emit-llvm -o - %s | FileCheck %s --check-prefix=PLAIN
// PLAIN-NOT: tutti_launch
// PLAIN:     @__kmpc_fork_call
