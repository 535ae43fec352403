// What threads do by their numbers becomes a loop over the numbers, cut where the threads meet.
// RUN: %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s
// RUN: clang -O1 -fopenmp -Xclang -disable-llvm-passes -S -emit-llvm -o - %s | opt -load-pass-plugin=%plugin -passes=tutti-thread-loops,verify -S | FileCheck %s --check-prefix=CODE
// RUN: %tutticc -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s --check-prefix=EXACT
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
void opaque(int);

// The team is as large as the construct's would be, and each iteration a thread of it.
// CODE-LABEL: define {{.*}} @blocks(
// CODE:         %[[SIZE:[0-9]+]] = call i32 @tutti_team_size(i32 0)
// CODE:         %team = zext i32 %[[SIZE]] to i64
// CODE:         @__kmpc_fork_call(ptr @{{[0-9]+}}, i32 5, ptr @blocks.omp_outlined.threads, {{.*}}, i64 %team, ptr null)
// EXACT: @blocks.omp_outlined.threads.tutti.accesses
void blocks(int n, double *a, const double *b) {
  // CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel region with thread numbers is distributed over ranks
  // CHECK-NOT: at computed addresses
  #pragma omp parallel
  {
    int id = omp_get_thread_num(), threads = omp_get_num_threads();
    int first = (long)id * n / threads, end = (long)(id + 1) * n / threads;
    for (int i = first; i < end; i++) a[i] = 2 * b[i];
  }
}

// The number of threads that is asked for is that of the team, where the fork gets them.
// CODE-LABEL: define {{.*}} @in_turn(
// CODE:         call void @__kmpc_push_num_threads({{.*}}, i32 4)
// CODE:         call i32 @tutti_team_size(i32 4)
void in_turn(int n, double *sums, const double *b) {
  // CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel region with thread numbers is distributed over ranks
  // CHECK-NOT: at computed addresses
  #pragma omp parallel num_threads(4)
  for (int i = omp_get_thread_num(); i < n; i += omp_get_num_threads())
    sums[omp_get_thread_num()] += b[i];
}

// A loop that depends on the number is its thread's share.
void share(int n, double *sums, const double *b) {
  // CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel region with thread numbers is distributed over ranks
  // CHECK-NOT: at computed addresses
  #pragma omp parallel
  #pragma omp for nowait
  for (int i = 0; i < n; i++) sums[omp_get_thread_num()] += b[i];
}

// Another one stays a loop like others; values that outlive a barrier are kept for each thread, or
// computed again from its number.
// CODE-LABEL: define {{.*}} @scan(
// CODE:         %[[KEPT:[0-9]+]] = mul i64 %team, 16
// CODE:         %[[MEMORY:[0-9]+]] = call ptr @tutti_malloc(i64 %[[KEPT]])
// CODE:         @__kmpc_fork_call({{.*}}, i64 %team, ptr %[[MEMORY]])
// CODE:         call void @free(ptr %[[MEMORY]])
void scan(int n, double *a, double *sums, const double *b) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region with thread numbers is distributed over ranks
  #pragma omp parallel
  {
    int id = omp_get_thread_num(), threads = omp_get_num_threads();
    int first = (long)id * n / threads, end = (long)(id + 1) * n / threads;
    double sum = 0;
    for (int i = first; i < end; i++) sum += b[i];
    #pragma omp barrier
    // CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel region with thread numbers is distributed over ranks
    // CHECK-NOT: at computed addresses
    sums[id] = sum;
    #pragma omp barrier
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
    #pragma omp for
    for (int i = 0; i < n; i++) a[i] += sums[0];
  }
}

// What only rank 0 can call is a loop of its own, which stays there; memory that a thread has allocated is its own.
void themselves(int n, double *a, const double *b) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region with thread numbers stays on rank 0: it allocates or frees memory with 'malloc'
  #pragma omp parallel
  {
    int id = omp_get_thread_num(), threads = omp_get_num_threads();
    double *own = malloc(n * sizeof *own);
    printf("thread %d\n", id);
    #pragma omp barrier
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region with thread numbers is distributed over ranks
    for (int i = id; i < n; i += threads) a[i] = own[i] = b[i] * id;
    #pragma omp barrier
    // CHECK: :[[@LINE-9]]:{{[0-9]+}}: remark: parallel region with thread numbers stays on rank 0: it allocates or frees memory with 'free'
    free(own);
  }
}

// Whether the program goes on all threads find out alike, behind the loop over those that may have set it.
void failing(int n, double *a, int *error) {
  #pragma omp parallel
  {
    int id = omp_get_thread_num(), threads = omp_get_num_threads();
    double *own = malloc(n * sizeof *own);
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region with thread numbers stays on rank 0: it allocates or frees memory with 'malloc'
    if (!own) *error = 1;
    int failed = *error;
    #pragma omp barrier
    if (failed) exit(1);
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region with thread numbers is distributed over ranks
    for (int i = id; i < n; i += threads) a[i] = own[i] = id;
    #pragma omp barrier
    free(own);
  }
  // What follows may change it.
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region stays on rank 0: {{.*}}a thread leaves a private value to what follows
  #pragma omp parallel
  {
    int id = omp_get_thread_num();
    if (a[id] < 0) *error = 1;
    int failed = *error;
    if (a[id] > n) *error = 0;
    #pragma omp barrier
    if (failed) exit(1);
    a[id] = id;
  }
}

static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int asker(const void *a, const void *b) { return (*(const int *)a - *(const int *)b) * (1 + omp_get_thread_num()); }

void sorted(int n, int *a, int *team) {
  #pragma omp parallel
  {
    #pragma omp master
    *team = omp_get_num_threads();
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls 'qsort'
    #pragma omp for
    for (int i = 0; i < n; i++) qsort(a + 8 * i, 8, sizeof *a, order);
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
    #pragma omp for
    for (int i = 0; i < n; i++) a[8 * i]++;
  }
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region stays on rank 0: it asks for the numbers of its threads, and it calls 'qsort'
  #pragma omp parallel
  {
    #pragma omp master
    *team = omp_get_num_threads();
    #pragma omp for
    for (int i = 0; i < n; i++) qsort(a + 8 * i, 8, sizeof *a, asker);
    #pragma omp for
    for (int i = 0; i < n; i++) a[8 * i]++;
  }
}

// What a thread has for itself on both sides of a meeting is private in each loop, so library
// functions may change it.
long drawn(long n) {
  long hits = 0;
  // CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel region with thread numbers is distributed over ranks
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region with thread numbers is distributed over ranks
  #pragma omp parallel
  {
    unsigned seed = 17 + omp_get_thread_num();
    #pragma omp for reduction(+ : hits)
    for (long i = 0; i < n; i++) hits += rand_r(&seed) < rand_r(&seed);
  }
  return hits;
}

// Pointers that only the program's own code looks at stay where the region can follow them.
void rows_of_threads(int n, double **a, double *out) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region with thread numbers is distributed over ranks
  #pragma omp parallel
  {
    double *rows[4];
    const int id = omp_get_thread_num();
    for (int k = 0; k < 4; k++) rows[k] = a[4 * id + (k + n) % 4];
    #pragma omp barrier
    double s = 0;
    for (int i = 0; i < n; i++) s += rows[i & 3][i];
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region with thread numbers is distributed over ranks
    out[id] = s;
  }
}

// Not if they share it, or it is too large to be brought.
long drawn_by_all(long n, unsigned *seed) {
  long hits = 0;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region stays on rank 0: it asks for the numbers of its threads, and it calls 'rand_r' on memory that is not the iteration's own
  #pragma omp parallel
  {
    const int id = omp_get_thread_num();
    #pragma omp for reduction(+ : hits)
    for (long i = 0; i < n; i++) hits += rand_r(seed) < id;
  }
  return hits;
}

long drawn_large(long n) {
  long hits = 0;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region with thread numbers stays on rank 0: it calls 'rand_r' on memory that is not the iteration's own
  #pragma omp parallel
  {
    unsigned seeds[65] = {omp_get_thread_num()};
    #pragma omp for reduction(+ : hits)
    for (long i = 0; i < n; i++) hits += rand_r(&seeds[i % 65]) < 9999;
  }
  return hits;
}

// What talks between threads in other ways stays as it was, and says why.
void home(int n, double *a, double *b, volatile int *flag, omp_lock_t *lock) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region stays on rank 0: it asks for the numbers of its threads, and its threads may wait for each other's variables (line [[@LINE+4]])
  #pragma omp parallel
  {
    int id = omp_get_thread_num();
    while (*flag != id) {}
    a[id] = 1;
    *flag = id + 1;
  }
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region stays on rank 0: it asks for the numbers of its threads, and its threads take turns by locks (line [[@LINE+4]])
  #pragma omp parallel
  {
    int id = omp_get_thread_num();
    omp_set_lock(lock);
    a[0] += a[id] * a[0];
    omp_unset_lock(lock);
  }
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region stays on rank 0: it asks for the numbers of its threads, and it calls 'opaque', which is not defined in this file (line [[@LINE+4]])
  #pragma omp parallel
  {
    int id = omp_get_thread_num();
    opaque(id);
    a[id] = 1;
  }
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region stays on rank 0: it asks for the numbers of its threads, and it looks at what 'printf' returns (line [[@LINE+4]])
  #pragma omp parallel
  {
    int id = omp_get_thread_num();
    a[id] = printf("%g\n", a[id]);
  }
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region with thread numbers is distributed over ranks
  #pragma omp parallel
  {
    int id = omp_get_thread_num();
    #pragma omp critical
    printf("%d: %g\n", id, a[id]);
    a[id] = 1;
  }
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region stays on rank 0: it asks for the numbers of its threads, and it contains a flush construct (line [[@LINE+5]])
  #pragma omp parallel
  {
    int id = omp_get_thread_num();
    a[id] = 1;
    #pragma omp flush
    b[id] = a[0];
  }
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region stays on rank 0: it asks for the numbers of its threads, and whether its threads meet depends on their numbers
  #pragma omp parallel
  {
    int id = omp_get_thread_num();
    if (id < 2) {
      #pragma omp barrier
    }
    a[id] = 1;
  }
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region stays on rank 0: it asks for the numbers of its threads, and it contains another parallel construct (line [[@LINE+4]])
  #pragma omp parallel
  {
    a[omp_get_thread_num()] += 1;
    #pragma omp parallel
    b[omp_get_thread_num()] = 1;
  }
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: the loop has an ordered clause or a schedule that is not distributed
  #pragma omp parallel
  #pragma omp for ordered
  for (int i = 0; i < n; i++) {
    #pragma omp ordered
    a[i] += a[omp_get_thread_num()];
  }
}

// What one thread computes from its number it computes once, also in a loop.
void start_of_one(int n, long *starts, double *a) {
  #pragma omp parallel
  {
    int id = omp_get_thread_num();
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region with thread numbers is distributed over ranks
    a[id] = id;
    #pragma omp barrier
    #pragma omp master
    {
      long at = id;
      while (at < n) at = at * 2 + 1;
      starts[0] = at;
    }
    #pragma omp barrier
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region with thread numbers is distributed over ranks
    a[id] += 1;
  }
}
// CODE-LABEL: define {{.*}} @blocks.omp_outlined.threads(
// CODE-NOT:     call {{.*}} @omp_
// CODE:         call void @__kmpc_for_static_init_8({{.*}}, i32 34, {{.*}}) #[[OVER:[0-9]+]]
// CODE:         %iteration{{[0-9]*}} = phi i64
// CODE:         %number{{[0-9]*}} = trunc i64 %iteration{{[0-9]*}} to i32
// CODE-NOT:     call {{.*}} @omp_
// CODE-LABEL: {{^}}}
// CODE-LABEL: define {{.*}} @share.omp_outlined.threads(
// CODE:         call void @__kmpc_for_static_init_8(
// CODE-NOT:     call void @__kmpc_for_static_init_4(
// CODE-LABEL: {{^}}}
// CODE-LABEL: define {{.*}} @scan.omp_outlined.threads(
// CODE:         call void @__kmpc_for_static_init_8(
// CODE:         call void @__kmpc_barrier(
// CODE:         call void @__kmpc_for_static_init_8(
// CODE:         call void @__kmpc_barrier(
// CODE:         call void @__kmpc_for_static_init_4(
// CODE-LABEL: define internal void @drawn.omp_outlined.threads(
// CODE:         call void @llvm.memcpy.p0.p0.i64(ptr align 4 %[[SEED:[0-9a-z.]+]], ptr align 4 %kept{{[0-9]*}}, i64 4
// CODE:         call i32 @rand_r(ptr noundef %[[SEED]])
// CODE:         call void @llvm.memcpy.p0.p0.i64(ptr align 4 %kept{{[0-9]*}}, ptr align 4 %[[SEED]], i64 4
// CODE: attributes #[[OVER]] = { "tutti-over-threads" }
