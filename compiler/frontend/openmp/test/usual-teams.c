// A region in which one thread does everything is handed over, at every optimisation level, also with
// its barriers; its requests for threads stay its own. Any other stays as it is, and is told why.
// RUN: %tutticc -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s
// RUN: clang -O0 -fopenmp -fplugin=%frontend -fpass-plugin=%plugin -S -emit-llvm -o - %s | FileCheck %s
// RUN: clang -O0 -g -fopenmp -fplugin=%frontend -fpass-plugin=%plugin -S -emit-llvm -o - %s | FileCheck %s
// RUN: %tutticc -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s --check-prefix=BARRIER
// RUN: clang -O0 -fopenmp -fplugin=%frontend -fpass-plugin=%plugin -S -emit-llvm -o - %s | FileCheck %s --check-prefix=BARRIER
// RUN: %tutticc -S -emit-llvm -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARK
void make(int *);
void use(int);

// CHECK-LABEL: define{{.*}} void @single(
void single(int x) {
  // CHECK: call void @__kmpc_push_num_threads({{.*}}, i32 {{.*}}3)
  // CHECK: call void @tutti_fork_tasks(ptr {{.*}}, ptr {{.*}}@single.omp_outlined.tasks, ptr
  // REMARK: :[[@LINE+1]]:3: remark: tasks of this parallel region are run by Tutti
  #pragma omp parallel num_threads(3)
  #pragma omp single
  #pragma omp task
  use(x);
}

// CHECK-LABEL: define{{.*}} void @orphans(
void orphans(int *x) {
  // CHECK: call void @tutti_fork_tasks(
  // REMARK: :[[@LINE+1]]:3: remark: tasks of this parallel region are run by Tutti
  #pragma omp parallel
  {
    int own = *x;
    #pragma omp masked
    make(&own);
    #pragma omp barrier
    #pragma omp single nowait
    make(&own);
  }
}

// CHECK-LABEL: define{{.*}} void @nothing(
// CHECK-NOT: @tutti_fork_tasks(
// CHECK: ret void
void nothing(int *x) {
  #pragma omp parallel
  #pragma omp single
  *x = 1;
}

// CHECK-LABEL: define{{.*}} void @all(
// CHECK-NOT: @tutti_fork_tasks(
// CHECK: ret void
void all(int *x) {
  // REMARK: :[[@LINE+1]]:3: remark: tasks of this parallel region stay with libomp: each of its threads makes tasks
  #pragma omp parallel
  #pragma omp task
  use(*x);
  // REMARK: :[[@LINE+1]]:3: remark: tasks of this parallel region stay with libomp: it holds a worksharing loop or sections
  #pragma omp parallel
  {
    #pragma omp for
    for (int i = 0; i < 10; i++) {
      #pragma omp task
      use(i);
    }
  }
  // REMARK: :[[@LINE+1]]:3: remark: tasks of this parallel region stay with libomp: each of its threads calls 'use'
  #pragma omp parallel
  {
    use(1);
    #pragma omp single
    {
      #pragma omp task
      use(2);
    }
  }
  // REMARK: :[[@LINE+1]]:3: remark: tasks of this parallel region stay with libomp: each of its threads writes to shared memory
  #pragma omp parallel
  {
    *x = 1;
    #pragma omp single
    {
      #pragma omp task
      use(2);
    }
  }
  // REMARK: :[[@LINE+1]]:3: remark: tasks of this parallel region stay with libomp: its masked construct asks for a certain thread
  #pragma omp parallel
  #pragma omp masked filter(1)
  {
    #pragma omp task
    use(2);
  }
  // REMARK: :[[@LINE+1]]:3: remark: tasks of this parallel region stay with libomp: it hands a private variable to all threads (copyprivate)
  #pragma omp parallel
  {
    int y;
    #pragma omp single copyprivate(y)
    {
      y = 1;
      #pragma omp task
      use(2);
    }
  }
  // REMARK: :[[@LINE+1]]:3: remark: tasks of this parallel region stay with libomp: it may be cancelled as a whole
  #pragma omp parallel
  {
    #pragma omp single
    {
      #pragma omp task
      use(2);
    }
    #pragma omp cancel parallel
  }
}

// BARRIER: define internal void @{{single|orphans}}.omp_outlined
// BARRIER: call void @tutti_team_barrier(
