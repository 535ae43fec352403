// Of two versions of a loop, as clang writes them for `simd` with an `if` clause, each becomes the
// loop of a construct of its own; the condition is known before the fork.
// RUN: %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s
// RUN: clang -O1 -fopenmp -Xclang -disable-llvm-passes -S -emit-llvm -o - %s | opt -load-pass-plugin=%plugin -passes=tutti-version-constructs,verify -S | FileCheck %s --check-prefix=IR
// RUN: clang -O1 -g -fopenmp -Xclang -disable-llvm-passes -S -emit-llvm -o - %s | opt -load-pass-plugin=%plugin -passes=tutti-join-debug-functions,tutti-version-constructs,verify -disable-output
// CHECK-NOT: warning

// The threads that are forked where the clause holds execute the version with the promise only.
// IR-LABEL: define {{.*}} @conditional(
// IR:         call void {{.*}} @__kmpc_fork_call({{.*}} @conditional.omp_outlined.versions.if,
// IR:         call void {{.*}} @__kmpc_fork_call({{.*}} @conditional.omp_outlined.versions.else,
void conditional(int n, int c, double *x) {
  // CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  // CHECK-NOT: remark: parallel loop
  #pragma omp parallel for simd if (c > 3)
  for (int i = 0; i < n; i++) x[i] = i;
}

// Two loops stay, because threads are forked in any case. Simplification does not make one fork of two.
// CHECK: :[[@LINE+4]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
// CHECK: :[[@LINE+3]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
// CHECK-NOT: remark: parallel loop
void promised(int n, int c, double *x) {
  #pragma omp parallel for simd if (simd : c)
  for (int i = 0; i < n; i++) x[i] = i;
}

// IR-LABEL: define {{.*}} @teams(
// IR:         call void @__kmpc_push_num_teams({{.*}}, i32 5,
// IR-NEXT:    call void {{.*}} @__kmpc_fork_teams({{.*}} @teams.omp_outlined.versions.if,
// IR:         call void @__kmpc_push_num_teams({{.*}}, i32 5,
// IR-NEXT:    call void {{.*}} @__kmpc_fork_teams({{.*}} @teams.omp_outlined.versions.else,
double teams(int n, _Bool c, double *x) {
  double s = 0;
  // CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  // CHECK-NOT: remark: parallel loop
  #pragma omp teams distribute parallel for simd if (c) collapse(2) schedule(static, 1) num_teams(5) reduction(+ : s)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) s += x[i * n + j];
  return s;
}

// One clause holds for threads, another one for `simd`: both are told apart.
void clauses(int n, int c, int d, double *x) {
  // CHECK: :[[@LINE+3]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  // CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  // CHECK-NOT: remark: parallel loop
  #pragma omp teams distribute parallel for simd if (parallel : c) if (simd : d)
  for (int i = 0; i < n; i++) x[i] = i;
}

// Teams that fork nothing.
void distributed(int n, int c, double *x) {
  // CHECK: :[[@LINE+3]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  // CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  // CHECK-NOT: remark: parallel loop
  #pragma omp teams distribute simd if (c)
  for (int i = 0; i < n; i++) x[i] = i;
}

// A program may choose itself.
void chosen(int n, int c, double *x) {
  // CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel firstprivate(c)
  if (c) {
    #pragma omp for
    for (int i = 0; i < n; i++) x[i] = i;
  } else {
    #pragma omp for
    for (int i = 0; i < n; i++) x[i] = -i;
  }
}

// What is looked up in memory may be another thing for each thread.
// IR-LABEL: define {{.*}} @looked_up(
// IR:         call void {{.*}} @__kmpc_fork_call({{.*}} @looked_up.omp_outlined,
void looked_up(int n, const int *c, double *x) {
  #pragma omp parallel
  if (*c) {
    #pragma omp for
    for (int i = 0; i < n; i++) x[i] = i;
  } else {
    #pragma omp for
    for (int i = 0; i < n; i++) x[i] = -i;
  }
}
