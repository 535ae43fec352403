// A function whose worksharing loops are steps of a conducted construct calls them in their place,
// as the threads that call it.
// RUN: %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARKS
// RUN: %tutticc -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s
// RUN: %tutticc -g -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s
#include <omp.h>
extern int timed;
void start(int);
double a[1000], b[1000];

// CHECK-LABEL: define {{.*}} @smooth(
// CHECK-NOT:     __kmpc_for_static_init
// CHECK:         call void @steps.omp_outlined.step0.tutti.chunk(ptr {{.*}}, ptr {{.*}}, ptr {{.*}}@tutti.whole)
// CHECK:         call void @__kmpc_barrier(
// CHECK:         call void @steps.omp_outlined.step1.tutti.chunk(ptr {{.*}}, ptr {{.*}}, ptr {{.*}}@tutti.whole)
// CHECK:         ret void
void smooth(void) {
  // REMARKS-COUNT-2: remark: parallel loop is distributed over ranks
  #pragma omp for
  for (int i = 1; i < 999; i++) b[i] = a[i - 1] + a[i + 1];
  #pragma omp for nowait
  for (int i = 1; i < 999; i++) a[i] = b[i - 1] - b[i + 1];
}

// What its caller gives is passed on.
// CHECK-LABEL: define {{.*}} @half(
// CHECK-NOT:     __kmpc_for_static_init
// CHECK:         call void @steps.omp_outlined.step2.tutti.chunk(
// CHECK:         ret void
void half(int n, double *u) {
  #pragma omp for
  for (int i = 0; i < n; i++) u[i] *= 0.5;
}

// Where one loop has become another in the construct, which knows the number, none is replaced.
// CHECK-LABEL: define {{.*}} @scale(
// CHECK:         __kmpc_for_static_init
// CHECK:         ret void
void scale(int by) {
  #pragma omp for
  for (int i = 0; i < 1000; i++) a[i] *= by;
}

// What nobody conducts stays as it is.
// CHECK-LABEL: define {{.*}} @other(
// CHECK:         __kmpc_for_static_init
// CHECK:         ret void
void other(void) {
  #pragma omp for
  for (int i = 0; i < 1000; i++) a[i] += i;
}

void steps(int count, int n, double *u) {
  #pragma omp parallel
  for (int t = 0; t < count; t++) {
    smooth();
    half(n, u);
    scale(3);
  }
}

// The same where threads ask who they are: other passes have simplified such a construct before.
// CHECK-LABEL: define {{.*}} @timed_loop(
// CHECK-NOT:     __kmpc_for_static_init
// CHECK:         call void @timed_steps.omp_outlined{{.*}}.tutti.chunk(
// CHECK:         ret void
void timed_loop(void) {
  int thread = omp_get_thread_num();
  if (timed && thread == 0) start(1);
  #pragma omp for
  for (int i = 0; i < 1000; i++) b[i] = a[i] * a[i];
}

void timed_steps(int count) {
  #pragma omp parallel
  for (int t = 0; t < count; t++) {
    timed_loop();
  }
}

// The same where only this file calls it, also beside constructs: it is still needed then.
// CHECK-LABEL: define {{.*}} @check(
// CHECK-NOT:     __kmpc_for_static_init
// CHECK:         call void @checked_steps.omp_outlined{{.*}}.tutti.chunk(
// CHECK:         ret
static void advance(int n) {
  #pragma omp for
  for (int i = 1; i < n; i++) a[i] = b[i - 1] * 0.5;
}

double check(int n) {
  advance(n);
  return a[n / 2];
}

void checked_steps(int count, int n) {
  #pragma omp parallel
  for (int t = 0; t < count; t++) {
    advance(n);
  }
}
