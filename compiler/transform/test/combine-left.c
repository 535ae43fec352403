// Sums and extremes that loops of a conducted construct leave in private variables are reductions of
// the loops, if all that is done with them is to tell them to others.
// RUN: %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s
// RUN: clang -O1 -fopenmp -Xclang -disable-llvm-passes -S -emit-llvm -o - %s | opt -load-pass-plugin=%plugin -passes=tutti-conduct-constructs,verify -S | FileCheck %s --check-prefix=CODE

// CODE-LABEL: define internal void @sums.omp_outlined.conducted(
// CODE:         fork_call({{.*}} @sums.omp_outlined.step0, {{.*}} %tutti.left
// CODE:         [[THREAD:%.*]] = call i32 @__kmpc_global_thread_num(
// CODE:         call void @__kmpc_critical({{.*}}, i32 [[THREAD]],
// CODE:         call void @__kmpc_end_critical(
// CODE-LABEL: define internal void @sums.omp_outlined.step0(
// CODE:         call i32 @__kmpc_reduce_nowait(
void sums(int n, int steps, double *a, double *total) {
  #pragma omp parallel
  for (int t = 0; t < steps; t++) {
    double mine = 0, own[5];
    for (int m = 0; m < 5; m++) own[m] = 0;
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
    #pragma omp for nowait
    for (int i = 0; i < n; i++) {
      mine += a[i];
      for (int m = 0; m < 5; m++) own[m] = own[m] + m * a[i];
    }
    #pragma omp critical
    {
      for (int m = 0; m < 5; m++) total[m] += own[m];
      total[5] += mine;
    }
  }
}

void extremes(int n, int steps, double *a, double *most, double *least) {
  #pragma omp parallel
  for (int t = 0; t < steps; t++) {
    double high = 0, low[2] = {1, 1};
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
    #pragma omp for nowait
    for (int i = 0; i < n; i++) {
      if (a[i] > high) high = a[i];
      if (a[i] < low[i & 1]) low[i & 1] = a[i];
    }
    #pragma omp critical
    {
      if (high > *most) *most = high;
      if (low[0] < *least) *least = low[0];
      if (low[1] < *least) *least = low[1];
    }
  }
}

void home(int n, int steps, double *a, double *total, int *threads) {
  // Threads are counted.
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel {{.*}} stays on rank 0: it contains a critical section
  #pragma omp parallel
  for (int t = 0; t < steps; t++) {
    double mine = 0;
    #pragma omp for
    for (int i = 0; i < n; i++) mine += a[i];
    #pragma omp critical
    {
      *total += mine;
      *threads += 1;
    }
  }
  // What follows looks at the sum of one thread.
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel {{.*}} stays on rank 0: it contains a critical section
  #pragma omp parallel
  for (int t = 0; t < steps; t++) {
    double mine = 0;
    #pragma omp for
    for (int i = 0; i < n; i++) mine += a[i];
    #pragma omp critical
    *total += mine;
    if (mine > 1) a[t] = 1;
  }
  // A sum that begins again is none.
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel {{.*}} stays on rank 0: it contains a critical section
  #pragma omp parallel
  for (int t = 0; t < steps; t++) {
    double mine = 0;
    #pragma omp for
    for (int i = 0; i < n; i++) {
      if (a[i] < 0) mine = 0;
      mine += a[i];
    }
    #pragma omp critical
    *total += mine;
  }
  // The loop looks at its sum.
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel {{.*}} stays on rank 0: {{.*}}one of its loops leaves a private value to what follows
  #pragma omp parallel
  for (int t = 0; t < steps; t++) {
    double mine = 0;
    #pragma omp for
    for (int i = 0; i < n; i++) {
      mine += a[i];
      a[i] = mine;
    }
    #pragma omp atomic
    *total += mine;
  }
  // Where an element is the best so far, something else happens.
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel {{.*}} stays on rank 0: it contains a critical section
  #pragma omp parallel
  for (int t = 0; t < steps; t++) {
    double own[2] = {0};
    #pragma omp for
    for (int i = 0; i < n; i++) {
      if (a[i] > own[i & 1]) {
        own[i & 1] = a[i];
        threads[i] = t;
      }
    }
    #pragma omp critical
    *total += own[0] + own[1];
  }
  // One that is added and multiplied has no order that does not matter.
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel {{.*}} stays on rank 0: it contains a critical section
  #pragma omp parallel
  for (int t = 0; t < steps; t++) {
    double mine = 0;
    #pragma omp for
    for (int i = 0; i < n; i++) mine = 2 * mine + a[i];
    #pragma omp critical
    *total += mine;
  }
}
