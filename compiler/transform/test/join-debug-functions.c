// With -g clang makes two functions of a construct; they become one again, as without -g.
// RUN: clang -O1 -g -fopenmp -Xclang -disable-llvm-passes -S -emit-llvm -o - %s | opt -load-pass-plugin=%plugin -passes=tutti-join-debug-functions,verify -S | FileCheck %s
// RUN: clang -O1 -g -fopenmp -fpseudo-probe-for-profiling -fno-unique-internal-linkage-names -c -emit-llvm -Xclang -disable-llvm-passes -o %t.bc %s
// RUN: opt -load-pass-plugin=%plugin -passes=pseudo-probe,tutti-join-debug-functions,verify -S %t.bc | FileCheck %s
// RUN: %tutticc -g -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s --check-prefix=CODE
#include <stdbool.h>

// The body has its variables, which debuggers know, where captures are stored.
// CHECK-LABEL: define internal void @captured.omp_outlined(
// CHECK-SAME:      i64 noundef %[[COUNT:[0-9]+]], ptr noundef {{[^%]*}} %{{[0-9]+}}, i64 noundef %[[ADDS:[0-9]+]], i64 noundef %[[FACTOR:[0-9]+]]){{.*}} !dbg ![[BODY:[0-9]+]]
// CHECK-DAG:     store i64 %[[COUNT]], ptr %[[N:[0-9]+]],
// CHECK-DAG:     store i64 %[[FACTOR]], ptr %[[F:[0-9]+]],
// CHECK-DAG:     store i64 %[[ADDS]], ptr %[[B:[0-9]+]],
// CHECK-NOT:     call void @captured
// CHECK-DAG:     #dbg_{{.*}}ptr %[[F]],
// CHECK:         load i32, ptr %[[N]],
// CHECK:         call void @__kmpc_for_static_init_4
// CHECK:         load i8, ptr %[[B]],
// CHECK:         load double, ptr %[[F]],
// CHECK:       }
void captured(int n, double *x, double f, bool adds) {
  #pragma omp parallel for firstprivate(n, f, adds)
  for (int i = 0; i < n; i++) x[i] = adds ? x[i] + f : 0;
}

// Constructs inside of others have names without the functions' that are gone, and come behind them.
// CHECK-LABEL: define internal void @outer.omp_outlined{{[.0-9]*}}(
// CHECK:         call void {{.*}} @__kmpc_fork_call({{.*}} @outer.omp_outlined.omp_outlined,
// CHECK-LABEL: define internal void @outer.omp_outlined.omp_outlined(
// CHECK:         call void @__kmpc_for_static_init_4
void outer(int n, double *x) {
  #pragma omp parallel
  {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) x[i] = i;
  }
}

// Computed places to go to move along.
// CHECK-LABEL: define internal void @jumps.omp_outlined{{[.0-9]*}}(
// CHECK:         indirectbr ptr
void jumps(int n, int *x) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    void *ways[] = {&&zero, &&one};
    goto *ways[x[i] & 1];
  zero:
    x[i] += 3;
    continue;
  one:
    x[i] -= 5;
  }
}

// Other functions stay what they are.
// CHECK-LABEL: define {{.*}} @noted(
// CHECK:         call void @noted_debug__(
// CHECK-LABEL: define internal void @noted_debug__(
static void noted_debug__(int value, int *place) { *place = value; }
void noted(int value, int *place) { noted_debug__(value, place); }

// CHECK: ![[BODY]] = distinct !DISubprogram(name: "captured.omp_outlined_debug__"

// CODE-DAG: call void @tutti_launch(ptr nonnull @captured.omp_outlined.tutti.region,
// CODE-NOT: _debug__(
