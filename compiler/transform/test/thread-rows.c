// Thread-private variables of a construct stand in rows, one for each thread, while its threads
// are iterations that other ranks may execute.
// RUN: %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s
// RUN: clang -O1 -fopenmp -Xclang -disable-llvm-passes -S -emit-llvm -o - %s | opt -load-pass-plugin=%plugin -passes=tutti-thread-loops,verify -S | FileCheck %s --check-prefix=CODE
#include <omp.h>
#include <stdlib.h>
void opaque(int);

static double own[64];
static int count;
static int told;
int known;
static double many[600000];
#pragma omp threadprivate(own, count, told, known, many)

// Only if the runtime says so; threads fill their rows, and take them back.
// CODE-LABEL: define {{.*}} @scratch(
// CODE:         call void @__kmpc_push_num_threads({{.*}}, i32 4)
// CODE:         call i32 @tutti_begin_spread(ptr @scratch.omp_outlined)
// CODE:         call i32 @tutti_team_size(i32 4)
// CODE:         %[[ROWS:[0-9]+]] = call ptr @tutti_malloc(
// CODE:         call void @__kmpc_push_num_threads({{.*}}, i32 4)
// CODE-NEXT:    @__kmpc_fork_call({{.*}}, i32 2, ptr @scratch.omp_outlined.rows.fill, ptr %[[ROWS]], i64 %team)
// CODE-NEXT:    call void @__kmpc_push_num_threads({{.*}}, i32 4)
// CODE-NEXT:    @__kmpc_fork_call({{.*}}, ptr @scratch.omp_outlined.threads, {{.*}}, ptr %[[ROWS]], i64 %team, ptr null)
// CODE-NEXT:    call void @__kmpc_push_num_threads({{.*}}, i32 4)
// CODE-NEXT:    @__kmpc_fork_call({{.*}}, i32 2, ptr @scratch.omp_outlined.rows.take, ptr %[[ROWS]], i64 %team)
// CODE-NEXT:    call void @free(ptr %[[ROWS]])
// CODE-NEXT:    call void @tutti_end_spread(ptr @scratch.omp_outlined)
// CODE:         @__kmpc_fork_call({{.*}}, ptr @scratch.omp_outlined,
// CODE:       define internal void @scratch.omp_outlined.threads(
// CODE-NOT:     threadlocal
// CODE:         ret void
// CODE:       define internal void @scratch.omp_outlined.rows.fill(
// CODE-COUNT-2: call {{.*}} @llvm.threadlocal.address
// CODE:       define internal void @scratch.omp_outlined.rows.take(
// CODE-COUNT-2: call {{.*}} @llvm.threadlocal.address
void scratch(int n, double *a) {
  // CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel region with thread numbers is distributed over ranks
  // CHECK-NOT: stays on rank 0
  #pragma omp parallel for num_threads(4)
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 64; k++) own[k] = i * k;
    a[i] = own[i % 64];
    count++;
  }
}

// What is copied in is the row of the first thread.
// CODE-LABEL: define internal void @copied.omp_outlined.threads(
// CODE-NOT:     ptrtoint
// CODE:         ret void
// CODE:       define internal void @copied.omp_outlined.rows.fill(
// CODE-NOT:     threadlocal
// CODE:         ret void
void copied(int n, double *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region with thread numbers is distributed over ranks
  #pragma omp parallel copyin(count)
  #pragma omp for
  for (int i = 0; i < n; i++) a[i] = count;
}

// Pointers that are found in memory lead to no variable of which nobody knows the address, and of
// which no other file knows the name.
static double **table;
void tables(int n) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region with thread numbers is distributed over ranks
  #pragma omp parallel for
  for (int i = 0; i < n; i++) table[0][i] = count++;
}
int *tell(void) { return &told; }
void tables_told(int n) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel {{.*}} stays on rank 0: {{.*}}pointers may lead to thread-private variables that it uses
  #pragma omp parallel
  #pragma omp for
  for (int i = 0; i < n; i++) table[0][i] = told + omp_get_thread_num();
}
void tables_known(int n) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel {{.*}} stays on rank 0: {{.*}}pointers may lead to thread-private variables that it uses
  #pragma omp parallel
  #pragma omp for
  for (int i = 0; i < n; i++) table[0][i] = known + omp_get_thread_num();
}

// Whoever finds the address later would find a row that is no more.
static int *where[64];
void kept(int n, double *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel {{.*}} stays on rank 0: {{.*}}pointers may lead to thread-private variables that it uses
  #pragma omp parallel
  {
    where[omp_get_thread_num()] = &told;
    #pragma omp for
    for (int i = 0; i < n; i++) a[i] = told;
  }
}

// Functions of other files may call one here that uses them, as others may that are still called.
void asked(int n, double *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel {{.*}} stays on rank 0: {{.*}}it calls 'opaque', which is not defined in this file, and uses thread-private variables
  #pragma omp parallel
  {
    #pragma omp master
    opaque(omp_get_thread_num());
    #pragma omp for
    for (int i = 0; i < n; i++) a[i] = count;
  }
}
static int by_count(const void *x, const void *y) {
  return (*(const int *)x - *(const int *)y) * count;
}
void called(int n, double *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel {{.*}} stays on rank 0: {{.*}}it uses thread-private variables
  #pragma omp parallel
  {
    int few[4] = {3, 1, count, omp_get_thread_num()};
    qsort(few, 4, sizeof(int), by_count);
    #pragma omp for
    for (int i = 0; i < n; i++) a[i] = few[0];
  }
}

// Moving them would take too long.
void large(int n, double *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel {{.*}} stays on rank 0: {{.*}}it uses thread-private variables
  #pragma omp parallel
  #pragma omp for
  for (int i = 0; i < n; i++) a[i] = many[omp_get_thread_num()];
}
