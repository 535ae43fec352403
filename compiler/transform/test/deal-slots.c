// Where iterations take slots from a counter, blocks of them count first how many each takes, on several ranks.
// RUN: %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s
// RUN: clang -O1 -fopenmp -Xclang -disable-llvm-passes -S -emit-llvm -o - %s | opt -load-pass-plugin=%plugin -passes=tutti-thread-loops,verify -S | FileCheck %s --check-prefix=CODE
#include <omp.h>
void opaque(int);
struct queue { int size, *items; };
static long total;

// Two forks, only if the runtime says so. Between them the slots are reserved, if any are taken.
// CODE-LABEL: define {{.*}} @compact(
// CODE:         call i32 @tutti_begin_spread(ptr @compact.omp_outlined)
// CODE:         %[[COUNTS:[0-9]+]] = call ptr @tutti_malloc(i64 2056)
// CODE-NEXT:    @__kmpc_fork_call({{.*}}, ptr @compact.omp_outlined.slots.count.threads, {{.*}}, ptr %[[COUNTS]], i64 128, ptr null)
// CODE:         call i64 @tutti.sum.slots(ptr %[[COUNTS]])
// CODE:         %[[TIMES:[0-9]+]] = call i64 @tutti.sum.slots(
// CODE-NEXT:    icmp ne i64 %[[TIMES]], 0
// CODE:         atomicrmw add ptr %{{[0-9]+}}, i32 %{{[0-9]+}} monotonic
// CODE:         @__kmpc_fork_call({{.*}}, ptr @compact.omp_outlined.slots.threads, {{.*}}, ptr %[[COUNTS]], i64 128, ptr null)
// CODE:         call void @free(ptr %[[COUNTS]])
// CODE:         call void @tutti_end_spread(ptr @compact.omp_outlined)
// CODE:         @__kmpc_fork_call({{.*}}, ptr @compact.omp_outlined,
int compact(int n, const int *a, int *out) {
  int count = 0;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop that takes slots is distributed over ranks
  #pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (a[i] > 0) {
      int at;
      #pragma omp atomic capture
      at = count++;
      out[at] = i;
    }
  return count;
}

// A member behind a pointer, in a function that is called; pieces in any order.
static void push(struct queue *q, int v) {
  int at;
  #pragma omp atomic capture
  { at = q->size; q->size += 2; }
  q->items[at] = q->items[at + 1] = v;
}
void member(int n, const double *a, struct queue *q) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop that takes slots is distributed over ranks
  #pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; i++)
    if (a[i] > 0) push(q, i);
}

// Whether there is room does not change how many are taken.
void room(int n, int most, const double *a, int *out) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop that takes slots is distributed over ranks
  #pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int k = 0; a[i] > k; k++) {
      long at;
      #pragma omp atomic capture
      at = total++;
      if (at < most) out[at] = i;
    }
}

// Both forks ask for as many threads.
// CODE-LABEL: define {{.*}} @of_four(
// CODE:         call void @__kmpc_push_num_threads({{.*}}, i32 4)
// CODE:         @__kmpc_fork_call({{.*}}, ptr @of_four.omp_outlined.slots.count.threads,
// CODE:         call void @__kmpc_push_num_threads({{.*}}, i32 4)
// CODE-NEXT:    @__kmpc_fork_call({{.*}}, ptr @of_four.omp_outlined.slots.threads,
void of_four(int n, int *out) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop that takes slots is distributed over ranks
  #pragma omp parallel for num_threads(4)
  for (int i = 0; i < n; i++) {
    long at;
    #pragma omp atomic capture
    at = total++;
    out[at] = i;
  }
}

// What counts changes nothing else, and neither of them is atomic.
// CODE-LABEL: define internal void @compact.omp_outlined.slots.count.threads(
// CODE-NOT:     store i32 {{.*}}, ptr %{{[0-9]+}}, align 4, !tbaa
// CODE-NOT:     atomicrmw
// CODE:         ret void
// CODE-LABEL: define internal void @compact.omp_outlined.slots.threads(
// CODE-NOT:     atomicrmw
// CODE:         ret void

// The slot decides whether another one is taken.
void slot_decides(int n, int most, int *out) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it contains an atomic update
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int again = 1;
    while (again) {
      long at;
      #pragma omp atomic capture
      at = total++;
      again = at % 3 == 0;
    }
  }
}

// What an iteration has written decides about its next slot.
void written_decides(int n, int *a, int *out) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it contains an atomic update
  #pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int k = 0; k < a[i]; k++) {
      long at;
      #pragma omp atomic capture
      at = total++;
      out[at] = 0; // Of a[i], perhaps.
    }
}

// The last one to come looks at what the others have done.
void arrivals(int n, double *part, double *sum) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it contains an atomic update
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    part[i] = i;
    if (__atomic_fetch_add(&total, 1, __ATOMIC_ACQ_REL) == n - 1)
      for (int k = 0; k < n; k++) *sum += part[k];
  }
}

// Each thread takes one: it matters how many there are.
void of_threads(int n, int *out) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it writes to shared memory outside of its loop
  #pragma omp parallel
  {
    long at;
    #pragma omp atomic capture
    at = total++;
    out[at] = 1;
    #pragma omp for
    for (int i = 0; i < n; i++) out[n + i] = i;
  }
}

// Iterations of one thread have an order.
void of_one(int n, int threads, int *out) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it contains an atomic update
  #pragma omp parallel for num_threads(threads)
  for (int i = 0; i < n; i++) {
    long at;
    #pragma omp atomic capture
    at = total++;
    out[at] = i;
  }
}

// Two counters, which may be one.
void two(int n, long *one, long *other, int *out) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it contains an atomic update
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    long at, to;
    #pragma omp atomic capture
    at = (*one)++;
    #pragma omp atomic capture
    to = (*other)++;
    out[at] = to;
  }
}

// The counter is looked at before it is counted up.
void looked_at(int n, int *out) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it contains an atomic update
  #pragma omp parallel
  {
    long before = total;
    #pragma omp barrier
    #pragma omp for
    for (int i = 0; i < n; i++) {
      long at;
      #pragma omp atomic capture
      at = total++;
      out[at - before] = i;
    }
  }
}

// What a thread's iterations leave to the next one.
void carried(int n, int *out) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it contains an atomic update
  #pragma omp parallel
  {
    int before = 0;
    #pragma omp for
    for (int i = 0; i < n; i++) {
      long at;
      #pragma omp atomic capture
      at = total++;
      out[at] = before;
      if (i % 3) before = i;
    }
  }
}
