// Functions with worksharing loops that constructs call in several places are conducted once, and called.
// RUN: %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARKS
// RUN: clang -O1 -fopenmp -Xclang -disable-llvm-passes -S -emit-llvm -o - %s | opt -load-pass-plugin=%plugin -passes=tutti-conduct-constructs,verify -S | FileCheck %s

// REMARKS-COUNT-4: remark: parallel loop is distributed over ranks
static void smooth(int n, double *to, const double *from) {
#pragma omp for
  for (int i = 1; i < n - 1; i++) to[i] = 0.25 * from[i - 1] + 0.5 * from[i] + 0.25 * from[i + 1];
#pragma omp for
  for (int i = 1; i < n - 1; i++) to[i] += from[i] * (from[i - 1] - from[i + 1]);
#pragma omp for
  for (int i = 1; i < n - 1; i++) to[i] *= 1 + from[i] * (from[i - 1] + from[i + 1]);
}

static double total;

// What a loop leaves to the caller, it leaves beside the loop.
static void sum(int n, const double *values, double *result) {
#pragma omp single
  total = 0;
#pragma omp for reduction(+ : total)
  for (int i = 0; i < n; i++) total += values[i] * values[n - 1 - i] + values[i] / (1 + values[n - 1 - i]);
  *result = total;
#pragma omp barrier
}

// CHECK-LABEL: define {{.*}} @steps(
// CHECK:         call void @steps.omp_outlined.conducted(
// CHECK-LABEL: define {{.*}} @steps.omp_outlined.conducted(
// CHECK-NOT:     @__kmpc_fork_call(
// CHECK:         call void @smooth.conducted(ptr null, ptr null, i32 {{.*}}, ptr {{.*}}, ptr
// CHECK-NOT:     @__kmpc_fork_call(
// CHECK:         call void @smooth.conducted(
// CHECK-NOT:     @__kmpc_fork_call(
// CHECK-COUNT-4: call void @sum.conducted(
// CHECK-NOT:     @__kmpc_fork_call(
// CHECK:         ret void
double steps(int n, int count, double *u, double *v) {
  double all = 0;
#pragma omp parallel
  for (int t = 0; t < count; t++) {
    double one, other, left, right;
    smooth(n, u, v);
    smooth(n, v, u);
    sum(n, u, &one);
    sum(n, v, &other);
    sum(n - 1, u, &left);
    sum(n - 1, v, &right);
#pragma omp master
    all += one * other + left * right;
#pragma omp barrier
  }
  return all;
}

// Loops that get an array of the thread, or are made for a constant, stand where they are called.
static void apply(int n, double *values, const double *weights) {
#pragma omp for
  for (int i = 0; i < n; i++) values[i] = values[i] * weights[0] + weights[1] * (i & 1) + weights[2] * (i & 2);
#pragma omp for
  for (int i = 0; i < n; i++) values[i] = values[i] * weights[1] + weights[2] * (i & 1) + weights[0] * (i & 2);
#pragma omp for
  for (int i = 0; i < n; i++) values[i] = values[i] * weights[2] + weights[0] * (i & 1) + weights[1] * (i & 2);
}

// CHECK-LABEL: define {{.*}} @weighted.omp_outlined.conducted(
// CHECK-NOT:     @apply
// CHECK-COUNT-6: @__kmpc_fork_call(
// CHECK-NOT:     @apply
// CHECK:         ret void
void weighted(int n, int count, double *u, double *v) {
#pragma omp parallel
  for (int t = 0; t < count; t++) {
    const double weights[3] = {t, t + 1, t + 2};
    apply(n, u, weights);
    apply(n, v, weights);
  }
}

// CHECK-LABEL: define {{.*}} @of_constant.omp_outlined.conducted(
// CHECK-NOT:     @smooth
// CHECK-COUNT-6: @__kmpc_fork_call(
// CHECK-NOT:     @smooth
// CHECK:         ret void
void of_constant(int count, double *u, double *v) {
#pragma omp parallel
  for (int t = 0; t < count; t++) {
    smooth(1000, u, v);
    smooth(1000, v, u);
  }
}
