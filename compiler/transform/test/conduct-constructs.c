// Constructs that hold a loop over time, `single` and `master` are conducted by the thread that would
// have forked; each worksharing loop is a construct of its own.
// RUN: %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s
// RUN: %tutticc -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s --check-prefix=CODE
// RUN: clang -O1 -fopenmp -Xclang -disable-llvm-passes -S -emit-llvm -o - %s | opt -load-pass-plugin=%plugin -passes=tutti-conduct-constructs,verify -S | FileCheck %s --check-prefix=THREADS
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
void opaque(double *);

// CODE-LABEL: define {{.*}} @steps(
// CODE-NOT:     __kmpc_
// CODE:         call void @tutti_launch(ptr nonnull @steps.omp_outlined.step0.tutti.region
// CODE-NOT:     __kmpc_
// CODE:         call void @tutti_launch(ptr nonnull @steps.omp_outlined.step1.tutti.region
// CODE-NOT:     __kmpc_
// CODE:         ret void
void steps(int n, int count, double *a, double *b, double *seconds, double *total) {
  double sum = 0;
  #pragma omp parallel firstprivate(a, b)
  for (int t = 0; t < count; t++) {
    if (t == 1) {
      #pragma omp master
      *seconds = omp_get_wtime();
    }
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
    #pragma omp for
    for (int i = 1; i < n - 1; i++) a[i] = b[i - 1] + b[i + 1];
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
    #pragma omp for reduction(+ : sum) schedule(dynamic, 16)
    for (int i = 0; i < n; i++) sum += a[i];
    #pragma omp single
    printf("%f\n", sum);
    double *kept = a;
    a = b;
    b = kept;
  }
  *total = sum;
}

static void half(int n, double *u) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp for
  for (int i = 0; i < n; i++) u[i] *= 0.5;
}

void orphaned(int n, int count, double *u, double *v) {
  #pragma omp parallel
  for (int t = 0; t < count; t++) {
    half(n, u);
    half(n, v);
  }
}

// What a function needs while its loop runs begins anew whenever it is called, in each thread.
static void smooth(int n, double *to, const double *from) {
  double sides[64];
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp for
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 64; j++) sides[j] = from[64 * i + j] + from[64 * i + 63 - j];
    for (int j = 1; j < 63; j++) to[64 * i + j] = sides[j - 1] + sides[j + 1];
  }
}

void scratch(int n, int count, double *u, double *v) {
  #pragma omp parallel
  for (int t = 0; t < count; t++) {
    smooth(n, u, v);
    smooth(n, v, u);
  }
}

// Mathematics beside the loops, which sets errno.
double pow(double, double);
void powers(int n, int count, double *u, const double *v) {
  #pragma omp parallel
  for (int t = 0; t < count; t++) {
    const double scale = pow(v[0], t);
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
    #pragma omp for
    for (int i = 0; i < n; i++) u[i] += scale * v[i];
  }
}

// Another file may have another one.
__attribute__((weak)) void make_tasks(int n, double *a) {
  for (int i = 0; i < n; i++) {
    #pragma omp task
    a[i]++;
  }
}

// What each thread has for itself, or does for itself.
void home(int n, int count, double *a, double *b, int *counter) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: its worksharing loop is executed repeatedly, and one of its loops leaves a private value to what follows
  #pragma omp parallel
  {
    double mine = 0;
    for (int t = 0; t < count; t++) {
      #pragma omp for
      for (int i = 0; i < n; i++) mine += a[i];
    }
    b[0] = mine;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: its worksharing loop is executed repeatedly, and one of its loops leaves a private value to what follows
  #pragma omp parallel
  {
    double own[16] = {0};
    for (int t = 0; t < count; t++) {
      #pragma omp for
      for (int i = 0; i < n; i++) a[i] = own[i & 15]++;
    }
  }

  // Each thread finds there again what it has counted in the step before.
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: its worksharing loop is executed repeatedly, and one of its loops changes a private variable that it has not set
  #pragma omp parallel
  {
    double own[16];
    for (int t = 0; t < count; t++) {
      #pragma omp for schedule(static)
      for (int i = 0; i < 16 * n; i++) {
        if (t == 0) own[i & 15] = 0;
        a[i] = own[i & 15]++;
      }
    }
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel {{.*}} stays on rank 0: {{.*}}'malloc'
  #pragma omp parallel
  {
    double *own = malloc(16 * sizeof *own);
    for (int t = 0; t < count; t++) {
      #pragma omp for
      for (int i = 0; i < n; i++) a[i] = own[i & 15]++;
    }
    free(own);
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel {{.*}} stays on rank 0: {{.*}}
  #pragma omp parallel
  for (int t = 0; t < count; t++) {
    #pragma omp for
    for (int i = 0; i < n; i++) a[i] += b[i];
    #pragma omp atomic
    counter[0]++;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel {{.*}} stays on rank 0: it asks for the numbers of its threads, and it calls 'opaque'
  #pragma omp parallel
  for (int t = 0; t < count; t++) {
    #pragma omp for
    for (int i = 0; i < n; i++) a[i] += b[i];
    if (omp_get_thread_num() == 1) opaque(a);
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel {{.*}} stays on rank 0: {{.*}}
  #pragma omp parallel
  for (int t = 0; t < count; t++) {
    #pragma omp for
    for (int i = 0; i < n; i++) a[i] += b[i];
    #pragma omp critical
    counter[0]++;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel {{.*}} stays on rank 0: it calls 'opaque'
  #pragma omp parallel
  for (int t = 0; t < count; t++) {
    opaque(a);
    #pragma omp for
    for (int i = 0; i < n; i++) a[i] += b[i];
  }

  // What is called may make an array for each thread of the team, of which the conductor knows no more than usual.
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel {{.*}} stays on rank 0: {{.*}}, and it asks for a number of threads, and a function that it calls may want to know
  #pragma omp parallel num_threads(count)
  for (int t = 0; t < count; t++) {
    #pragma omp single
    opaque(a);
    #pragma omp for
    for (int i = 0; i < n; i++) a[i] += b[i];
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel {{.*}} stays on rank 0: {{.*}}, and it calls 'make_tasks' outside of its loops
  #pragma omp parallel
  for (int t = 0; t < count; t++) {
    #pragma omp single
    make_tasks(n, a);
    #pragma omp for
    for (int i = 0; i < n; i++) a[i] += b[i];
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel {{.*}} stays on rank 0: {{.*}}, and it keeps the address of a private variable
  #pragma omp parallel
  for (int t = 0; t < count; t++) {
    double own = t;
    #pragma omp master
    opaque(&own);
    #pragma omp for
    for (int i = 0; i < n; i++) a[i] += own;
  }
}

// What one thread calls of another file is told what it would have been told in the team.
// CODE-LABEL: define {{.*}} @strangers(
// CODE-NOT:     __kmpc_
// CODE:         call void @tutti_begin_call_of_one()
// CODE-NEXT:    call void @opaque(
// CODE-NEXT:    call void @tutti_end_call_of_one()
// CODE-NOT:     __kmpc_
// CODE:         call void @tutti_launch(
// CODE-NOT:     __kmpc_
// CODE:         ret void
void strangers(int n, int count, double *a, double *b) {
  #pragma omp parallel
  for (int t = 0; t < count; t++) {
    #pragma omp single
    opaque(a);
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
    #pragma omp for
    for (int i = 0; i < n; i++) a[i] += b[i];
  }
}

// What a construct asks of its threads each of its loops asks for, and no construct behind it.
// THREADS-LABEL: define {{.*}} @asks(
// THREADS-NOT:     @__kmpc_push_num_threads
// THREADS:         call void @asks.omp_outlined.conducted(ptr null, ptr %tutti.threads,
// THREADS-NOT:     @__kmpc_push_num_threads
// THREADS:         call void {{.*}} @__kmpc_fork_call(
// THREADS-LABEL: define internal void @asks.omp_outlined.conducted(
// THREADS:         [[NUMBER:%.*]] = load i32, ptr %1
// THREADS-NEXT:    call void @__kmpc_push_num_threads({{.*}}, i32 [[NUMBER]])
// THREADS:         call void {{.*}} @__kmpc_fork_call({{.*}} @asks.omp_outlined.step0,
// THREADS:         call void @__kmpc_push_num_threads({{.*}}, i32 {{.*}})
// THREADS:         call void {{.*}} @__kmpc_fork_call({{.*}} @asks.omp_outlined.step1,
void asks(int n, int steps, int threads, double *a, double *b) {
  #pragma omp parallel num_threads(threads)
  for (int t = 0; t < steps; t++) {
    #pragma omp for
    for (int i = 1; i < n; i++) b[i] = a[i - 1];
    #pragma omp for
    for (int i = 1; i < n; i++) a[i] = 2 * b[i];
  }
  #pragma omp parallel for
  for (int i = 0; i < n; i++) b[i] = 0;
}

// A function whose loop is inlined in several places has one region.
static void halve(int n, double *from, double *to) {
  #pragma omp for
  for (int i = 1; i < n; i++) to[i] = 0.5 * (from[i - 1] + from[i]);
}

// CODE-LABEL: define {{.*}} @in_turn(
// CODE:         call void @tutti_launch(ptr nonnull @in_turn.omp_outlined.step0.tutti.region
// CODE:         call void @tutti_launch(ptr nonnull @in_turn.omp_outlined.step0.tutti.region
void in_turn(int n, double *a, double *b) {
  #pragma omp parallel
  for (int t = 0; t < 10; t++) {
    halve(n, a, b);
    halve(n, b, a);
  }
}

// A loop whose iterations wait for each other stays home; those beside it do not.
void flags(int n, int count, double *a, double *b, volatile int *done) {
  #pragma omp parallel
  for (int t = 0; t < count; t++) {
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
    #pragma omp for
    for (int i = 0; i < n; i++) b[i] = a[i] * t;
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it contains a flush construct
    #pragma omp for schedule(static)
    for (int i = 1; i < n; i++) {
      while (done[i - 1] < t) {
        #pragma omp flush
      }
      b[i] += b[i - 1];
      #pragma omp flush
      done[i] = t;
    }
    #pragma omp flush
  }
}

// Every thread asks what time it is; the conductor asks once.
static double now(void) {
  struct timeval time;
  gettimeofday(&time, NULL);
  return time.tv_sec + 1e-6 * time.tv_usec;
}

void timed(int n, int count, double *a, double *b, double *seconds, clock_t *ticks) {
  #pragma omp parallel
  for (int t = 0; t < count; t++) {
    const double begun = now();
    const clock_t before = clock();
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
    #pragma omp for
    for (int i = 1; i < n; i++) b[i] = a[i - 1];
    #pragma omp master
    {
      *seconds += now() - begun;
      *ticks += clock() - before;
    }
  }
  // What a thread of its own keeps of such a call still is its own.
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel {{.*}} stays on rank 0: {{.*}}, and one of its loops
  #pragma omp parallel
  {
    struct timeval own;
    gettimeofday(&own, NULL);
    for (int t = 0; t < count; t++) {
      #pragma omp for
      for (int i = 0; i < n; i++) {
        own.tv_sec++;
        a[i] += own.tv_sec;
      }
    }
  }
}
