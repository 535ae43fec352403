// Loops that one thread divides into tasks are loops like others: each is a fork, and nothing is left that
// makes tasks. Loops of one task keep their order, and what cannot be told apart from tasks stays tasks.
// RUN: clang -O1 -fopenmp -S -emit-llvm -Xclang -disable-llvm-passes -o - %s | opt -load-pass-plugin=%plugin -passes=tutti-task-loops -S | FileCheck %s --check-prefix=FORM
// RUN: %tutticc -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s --check-prefix=LEFT
// RUN: %tutticc -S -emit-llvm -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %tutticc -g -O2 -S -emit-llvm -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARK
#include <stddef.h>

// LEFT-LABEL: define{{.*}} void @distributed(
// LEFT-NOT: @__kmpc_taskloop(
// LEFT-NOT: @tutti_fork_tasks(
// LEFT: ret void
void distributed(double *a, int n, double *sum) {
  double s = 0;
  int k = 3;
#pragma omp parallel
#pragma omp single
  for (int t = 0; t < 5; ++t) {
    // REMARK-DAG: :[[@LINE+1]]:1: remark: parallel loop is distributed over ranks
#pragma omp taskloop firstprivate(k)
    for (int i = 0; i < n; ++i) {
      a[i] += k * t;
    }
    // REMARK-DAG: :[[@LINE+1]]:1: remark: parallel loop is distributed over ranks
#pragma omp taskloop reduction(+ : s)
    for (int i = 0; i < n; ++i) {
      s += a[i];
    }
  }
  *sum = s;
}

// A counter of 32 bits is compared as such, and pieces are those of a worksharing loop.
// FORM: define internal void @distributed.omp_outlined.loops(
// FORM-NOT: @__kmpc_omp_task_alloc
// FORM-NOT: @__kmpc_taskgroup
// FORM: call void @[[FIRST:.*\.loop]](
// FORM: call void @[[SECOND:.*\.loop]](
// FORM: define internal void @[[FIRST]](
// FORM: call void @__kmpc_dispatch_init_4({{.*}}, i32 1073741860, i32 0, i32 %{{.*}}, i32 1, i32 %{{.*}})
// FORM: call i32 @__kmpc_dispatch_next_4(
// FORM: define internal void @[[SECOND]](
// FORM: call void @.red_init.(
// FORM: call i32 @__kmpc_reduce_nowait(

// One task keeps the order of its iterations: as many as the program asks for are known when it runs.
// FORM: define internal void @in_order.omp_outlined.loops(
// FORM: icmp ugt
// FORM: br i1
// FORM: call void @{{.*}}.loop(
// FORM: call void @{{.*}}.shared(
void in_order(double *a, size_t n, int tasks) {
  // REMARK-DAG: :[[@LINE+1]]:1: remark: parallel loop is distributed over ranks
#pragma omp parallel master taskloop num_tasks(tasks)
  for (size_t i = 1; i < n; ++i) {
    a[i] += 1;
  }
}

// What one thread asks and counts beside the loops is as it would be in the team.
int omp_get_num_threads(void);

// LEFT-LABEL: define{{.*}} void @beside(
// LEFT: call i32 @tutti_team_size(i32 0)
// LEFT: call void @tutti_launch(
// LEFT-NOT: @tutti_fork_tasks(
// LEFT: ret void
void beside(double *a, int n, int *threads, int *count) {
#pragma omp parallel
#pragma omp single
  {
    *threads = omp_get_num_threads();
    // REMARK-DAG: :[[@LINE+1]]:1: remark: parallel loop is distributed over ranks
#pragma omp taskloop grainsize(n / 4)
    for (int i = 0; i < n; ++i) {
      a[i] += *threads;
    }
#pragma omp atomic
    ++*count;
  }
}

// The function has the loop of all who call it.
static void called(double *a, int n) {
#pragma omp taskloop grainsize(1)
  for (int i = 0; i < n; ++i) {
    a[i] *= 2;
  }
}

// LEFT-LABEL: define{{.*}} void @calls(
// LEFT-NOT: @tutti_fork_tasks(
// LEFT: ret void
void calls(double *a, double *b, int n) {
#pragma omp parallel
#pragma omp single
  {
    called(a, n);
    called(b, n);
  }
}

// What a function's own loop reduces into is its caller's, one thread, which allocates it.
static double product(const double *a, const double *b, int n) {
  double sum = 0;
  // REMARK-DAG: :[[@LINE+1]]:1: remark: parallel loop is distributed over ranks
#pragma omp taskloop reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

// LEFT-LABEL: define{{.*}} void @products(
// LEFT-NOT: @tutti_fork_tasks(
// LEFT: ret void
// FORM: define internal void @products.omp_outlined.loops(
// FORM: br i1 {{.*}}, label %[[OWN:.*]], label
// FORM: [[OWN]]:
// FORM: call ptr @malloc(i64 8)
// FORM: call void @free(
// FORM: call void @free(
// FORM: call void @__kmpc_end_single(
void products(double *a, double *b, int n, double *found) {
#pragma omp parallel
#pragma omp single
  for (int t = 0; t < 5; ++t) {
    *found += product(a, b, n);
    double most = a[t];
    // REMARK-DAG: :[[@LINE+1]]:1: remark: parallel loop is distributed over ranks
#pragma omp taskloop reduction(max : most)
    for (int i = 0; i < n; ++i) {
      most = b[i] > most ? b[i] : most;
    }
    a[t] = most;
  }
}

// Tasks of each thread: as many additions as threads.
// LEFT-LABEL: define{{.*}} void @of_each(
// LEFT-NOT: @of_each.omp_outlined.loops
// LEFT: ret void
void of_each(int *a, int *b, int n) {
  // REMARK-DAG: :[[@LINE+1]]:1: remark: tasks of this parallel region stay with libomp: each of its threads {{.*}}; its loops are not distributed: each of its threads makes all tasks of a loop
#pragma omp parallel
  {
#pragma omp taskloop
    for (int i = 0; i < n; ++i) {
#pragma omp atomic
      a[i] += 1;
    }
#pragma omp single
    b[0] = 7;
#pragma omp taskloop
    for (int i = 0; i < n; ++i) {
#pragma omp atomic
      b[i] += 2;
    }
  }
}

void use(double *);

// LEFT-LABEL: define{{.*}} void @tasks(
// LEFT-COUNT-5: call void @tutti_fork_tasks(
// LEFT-NOT: call void @tutti_fork_tasks(
// LEFT: ret void
void tasks(double *a, int n, int k) {
  int last = 0;
  // REMARK-DAG: :[[@LINE+1]]:1: remark: tasks of this parallel region are run by Tutti; its loops are not distributed: it makes other tasks, too
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    use(a);
#pragma omp taskloop
    for (int i = 0; i < n; ++i) {
      a[i] = i;
    }
  }
  // REMARK-DAG: :[[@LINE+1]]:1: remark: tasks of this parallel region are run by Tutti; its loops are not distributed: its tasks hold other constructs
#pragma omp parallel master taskloop
  for (int i = 0; i < n; ++i) {
#pragma omp task
    use(a + i);
  }
  // REMARK-DAG: :[[@LINE+1]]:1: remark: tasks of this parallel region are run by Tutti; its loops are not distributed: its tasks are not waited for where they are made (nogroup), and may wait themselves
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop nogroup
    for (int i = 0; i < n; ++i) {
      use(a + i);
    }
    use(a);
  }
#pragma omp parallel
#pragma omp single
  {
    // REMARK-DAG: :[[@LINE+1]]:1: remark: parallel loop is distributed over ranks
#pragma omp taskloop nogroup firstprivate(k)
    for (int i = 0; i < n; ++i) {
      a[i] = i * k;
    }
    use(a);
#pragma omp taskwait
  }
  // REMARK-DAG: :[[@LINE+1]]:1: remark: parallel loop is distributed over ranks
#pragma omp parallel master taskloop lastprivate(last)
  for (int i = 0; i < n; ++i) {
    a[i] = last = i;
  }
  // REMARK-DAG: :[[@LINE+1]]:1: remark: tasks of this parallel region are run by Tutti; its loops are not distributed: its tasks change their own variables, and it says how large they are
#pragma omp parallel master taskloop num_tasks(5) firstprivate(last)
  for (int i = 0; i < n; ++i) {
    a[i] = last++;
  }
  // REMARK-DAG: :[[@LINE+1]]:1: remark: tasks of this parallel region are run by Tutti; its loops are not distributed: its tasks may be final, or have objects of their own
#pragma omp parallel master taskloop final(k > 3)
  for (int i = 0; i < n; ++i) {
    a[i] = i;
  }
}
