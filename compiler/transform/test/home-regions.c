// A region that stays home is launched too, so that it is counted; its descriptor has the reason
// and no functions but the construct itself.
// RUN: %tutticc -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s

// CHECK-DAG: @[[REASON:.*]] = {{.*}}c"it calls 'opaque', which is not defined in this file (line {{[0-9]+}})\00"
// CHECK-DAG: @calls.omp_outlined.tutti.region = internal constant %struct.tutti_region { i32 {{[0-9]+}}, i32 4, {{.*}}ptr @[[REASON]],
// CHECK-DAG: @part.omp_outlined.tutti.region = internal constant %struct.tutti_region { i32 {{[0-9]+}}, i32 4101,

void opaque(long);

// CHECK-LABEL: define {{.*}} @calls(
// CHECK:         call void @tutti_launch(ptr nonnull @calls.omp_outlined.tutti.region, ptr
void calls(long n) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) opaque(i);
}

// CHECK-LABEL: define {{.*}} @part(
// CHECK:         call void @tutti_launch(ptr nonnull @part.omp_outlined.tutti.region, ptr
void part(long n, double *a) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) a[i] = i;
}

// CHECK-NOT: define {{.*}} @calls.omp_outlined.tutti.accesses(
// CHECK-NOT: define {{.*}} @calls.omp_outlined.tutti.chunk(
