// Worksharing loops of one parallel construct become constructs of their own, where what each
// thread computes beside them does not depend on the other loops.
// RUN: %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s
// RUN: %tutticc -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s --check-prefix=CODE
#include <omp.h>
double work(double);
int count;

// CODE-LABEL: define {{.*}} @in_turn(
// CODE:         call void @tutti_launch(ptr nonnull @in_turn.omp_outlined.loop0.tutti.region
// CODE:         call void @tutti_launch(ptr nonnull @in_turn.omp_outlined.loop1.tutti.region
// CODE:         call void @tutti_launch(ptr nonnull @in_turn.omp_outlined.loop2.tutti.region
// CODE-NOT:     @tutti_launch
// CODE:         ret void
void in_turn(int n, double *a, double *b, double f, double *total) {
  double s = 0, last = 0;
  #pragma omp parallel
  {
    double scale = 2 * f;
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
    #pragma omp for
    for (int i = 0; i < n; i++) a[i] = i * scale;
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
    #pragma omp for schedule(dynamic) lastprivate(last) nowait
    for (int i = 0; i < n; i++) { b[i] = a[n - 1 - i] * scale; last = b[i]; }
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
    #pragma omp for reduction(+ : s)
    for (int i = 0; i < n; i++) s += a[i];
  }
  *total = s + last;
}

// A request for threads holds for each: it is a capture of both.
// CODE-LABEL: define {{.*}} @threads(
// CODE:         store i64 3, ptr
// CODE:         call void @tutti_launch
// CODE:         store i64 3, ptr
// CODE:         call void @tutti_launch
// CODE-LABEL: define internal void @threads.omp_outlined.loop0.tutti.run(
// CODE:         call void @__kmpc_push_num_threads
// CODE-NEXT:    call void (ptr, i32, ptr, ...) @__kmpc_fork_call
void threads(int n, double *a) {
  int i, j;
  // Private variables that every loop sets itself.
  #pragma omp parallel private(i, j) num_threads(3)
  {
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
    #pragma omp for
    for (i = 0; i < n; i++) for (j = 0; j < 4; j++) a[4 * i + j] = i;
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
    #pragma omp for
    for (i = 0; i < n; i++) for (j = 0; j < 4; j++) a[4 * i + j] += j;
  }
}

void whole(int n, int steps, double *a, double *b, double *x) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: the parallel construct holds more than one worksharing loop, and {{[a-z ]+}}
  #pragma omp parallel reduction(+ : count)
  for (int t = 0; t < steps; t++) {
    #pragma omp for
    for (int i = 1; i < n - 1; i++) a[i] = b[i - 1] + b[i + 1];
    #pragma omp for
    for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + a[i + 1];
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: {{.*}} and one of its loops leaves a private value to what follows
  #pragma omp parallel
  {
    double mine = 0;
    #pragma omp for
    for (int i = 0; i < n; i++) mine += a[i];
    #pragma omp for
    for (int i = 0; i < n; i++) b[i] = mine;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: {{.*}} and one of its loops leaves a private value to what follows
  #pragma omp parallel
  {
    double mine[64];
    #pragma omp for
    for (int i = 0; i < n; i++) mine[i & 63] = a[i];
    #pragma omp for
    for (int i = 0; i < n; i++) b[i] = mine[i & 63];
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: {{.*}} and {{[a-z ]+}}
  #pragma omp parallel reduction(+ : count)
  {
    double old = x[0];
    #pragma omp for
    for (int i = 0; i < n; i++) a[i] = i;
    #pragma omp for
    for (int i = 0; i < n; i++) x[i] = 2 * a[i];
    #pragma omp for
    for (int i = 0; i < n; i++) b[i] = old;
  }

  // So may a loop change which way a thread takes.
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: {{.*}} and {{[a-z ]+}}
  #pragma omp parallel reduction(+ : count)
  {
    int way = 0;
    if (x[0] > 0) way = 1;
    #pragma omp for
    for (int i = 0; i < n; i++) a[i] = i;
    #pragma omp for
    for (int i = 0; i < n; i++) x[i] = 2 * a[i];
    if (way) {
      #pragma omp for
      for (int i = 0; i < n; i++) b[i] = 1;
    }
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: {{.*}} and {{[a-z ]+}}
  #pragma omp parallel reduction(+ : count)
  {
    #pragma omp for
    for (int i = 0; i < n; i++) a[i] = i;
    x[0] = 1;
    #pragma omp for
    for (int i = 0; i < n; i++) b[i] = x[0];
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel {{.*}} stays on rank 0: {{.*}} single, master or masked construct, and {{[a-z ]+}}
  #pragma omp parallel reduction(+ : count)
  {
    #pragma omp for
    for (int i = 0; i < n; i++) a[i] = i;
    #pragma omp single
    x[0] += 1;
    #pragma omp for
    for (int i = 0; i < n; i++) b[i] = x[0];
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls 'work', which is not defined in this file
  #pragma omp parallel
  {
    #pragma omp for
    for (int i = 0; i < n; i++) a[i] = i;
    double y = work(a[0]);
    #pragma omp for
    for (int i = 0; i < n; i++) b[i] = y;
  }

  // CHECK: :[[@LINE+4]]:{{[0-9]+}}: remark: parallel region with thread numbers is distributed over ranks
  #pragma omp parallel reduction(+ : count)
  {
    #pragma omp for
    for (int i = 0; i < n; i++) a[omp_get_thread_num()] = i;
    #pragma omp for
    for (int i = 0; i < n; i++) b[i] = a[i];
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: {{.*}} and it keeps the address of a private variable
  #pragma omp parallel
  {
    double own[64];
    struct { double *at[8]; } table;
    for (int k = 0; k < 8; k++) table.at[k] = own + k;
    #pragma omp for
    for (int i = 0; i < n; i++) *table.at[i & 7] = a[i];
    #pragma omp for
    for (int i = 0; i < n; i++) b[i] = own[i & 7];
  }

  double s = 0;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: {{.*}} and it holds another construct outside of its loops
  #pragma omp parallel reduction(+ : s)
  {
    #pragma omp for
    for (int i = 0; i < n; i++) s += a[i];
    #pragma omp for
    for (int i = 0; i < n; i++) s += b[i];
  }
  x[0] = s;
}
