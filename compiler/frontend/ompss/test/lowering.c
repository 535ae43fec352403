// `#pragma oss` becomes calls of abi/tasks.h, at every optimisation level.
// RUN: %tutticc -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s
// RUN: clang -O0 -fopenmp -fplugin=%frontend -fpass-plugin=%plugin -S -emit-llvm -o - %s | FileCheck %s
void use(const volatile void *);
void scale(int n, double *x);
extern int block[8][16];

// CHECK-LABEL: define{{.*}} void @items(
void items(int n, double *p, int i) {
  int x;
  int a[10];
  // CHECK: [[TASK:%.*]] = {{.*}}call ptr @tutti_task_create(i32 {{[0-9]+}}, i64 {{[0-9]+}}, i64 {{[0-9]+}}, ptr {{.*}}@.omp_task_entry.
  // CHECK: call ptr @tutti_task_begin({{.*}}, ptr {{.*}}, i32 {{.*}}1)
  // CHECK: call ptr @tutti_task_option(i32 {{.*}}1, i64
  // CHECK: call ptr @tutti_task_access(i32 {{.*}}3, ptr {{.*}}, i64 {{.*}}4)
  // CHECK: call ptr (i32, ptr, i32, ...) @tutti_task_section(i32 {{.*}}1, ptr {{.*}}, i32 {{.*}}1, i64 {{.*}}8, i64 {{.*}}0, i64
  // CHECK: call void @tutti_task_submit(ptr {{.*}}[[TASK]])
  #pragma oss task inout(x) in(p[0;n]) label("name") wait priority(n)
  use(&x);
  // A range of indices, both ends of it; from the second element to the end; all.
  // CHECK: @tutti_task_section(i32 {{.*}}2, ptr {{.*}}, i32 {{.*}}1, i64 {{.*}}4, i64 {{.*}}2, i64 {{.*}}4)
  // CHECK: @tutti_task_section(i32 {{.*}}2, ptr {{.*}}, i32 {{.*}}1, i64 {{.*}}4, i64 {{.*}}2, i64 {{8|noundef 8|noundef %.*}})
  // CHECK: @tutti_task_section(i32 {{.*}}2, ptr {{.*}}, i32 {{.*}}1, i64 {{.*}}4, i64 {{.*}}0, i64 {{10|noundef 10|noundef %.*}})
  #pragma oss task out(a[2:5]) out(a[2:], a[:])
  use(a);
  // Rows and columns.
  // CHECK: @tutti_task_section(i32 {{.*}}5, ptr {{.*}}, i32 {{.*}}2, i64 {{.*}}64, i64 {{.*}}2, i64 {{.*}}3, i64 {{.*}}4, i64 {{.*}}4, i64 {{.*}}8)
  #pragma oss task commutative(block[2;3][4;8])
  use(block);
  // OpenMP's spelling counts elements.
  // CHECK: @tutti_task_section(i32 {{.*}}21, ptr {{.*}}, i32 {{.*}}1, i64 {{.*}}8, i64 {{.*}}2, i64 {{.*}}5)
  #pragma oss task depend(weak, mutexinoutset: p[2:5])
  use(p);
  // Shapes: two rows of three, then one row of them from the second element.
  // CHECK: @tutti_task_access(i32 {{.*}}17, ptr {{.*}}, i64 {{.*}}48)
  // CHECK: @tutti_task_section(i32 {{.*}}1, ptr {{.*}}, i32 {{.*}}2, i64 {{.*}}24, i64 {{.*}}1, i64 {{.*}}1, i64 {{.*}}8, i64 {{.*}}1, i64 {{.*}}2)
  #pragma oss task weakin([2][3]p) in(([2][3]p)[1][1;2])
  use(p);
  // CHECK: call void @tutti_task_wait(ptr
  #pragma oss taskwait
  // CHECK: call ptr @tutti_task_wait_begin(ptr
  // CHECK: @tutti_task_access(i32 {{.*}}3,
  // CHECK: call void @tutti_task_wait_end()
  #pragma oss taskwait on(x)
  // CHECK: call ptr @tutti_task_release_begin(ptr
  // CHECK: call void @tutti_task_release_end()
  #pragma oss release out(a)
}

// Iterations say that they begin, and how many of them make a round.
// CHECK-LABEL: define{{.*}} void @iterations(
// CHECK: call void @tutti_task_submit(
// CHECK: call i32 @tutti_task_iterate(i32 {{.*}}3)
void iterations(int n, int *x) {
  #pragma oss taskiter unroll(3)
  for (int i = 0; i < n; i++) {
    #pragma oss task inout(*x)
    use(x);
  }
}

// A call of a function task is one of its creator; the function itself has a plain body.
#pragma oss task inout([n]x)
void scale(int n, double *x);
// CHECK-LABEL: define{{.*}} void @calls(
void calls(double *x) {
  // CHECK-NOT: call void @scale
  // CHECK: {{tutti_task_create|__tutti_task_of_}}
  scale(3, x);
}

// CHECK-LABEL: define{{.*}} void @loops(
void loops(int n, double *x, double *y) {
  // The grain size, then the loop, whose function is asked what it touches.
  // CHECK: call ptr @tutti_task_begin({{.*}}, ptr {{.*}}, i32 {{.*}}20)
  // CHECK: call ptr @tutti_task_option(i32 6, i64 {{.*}})
  // CHECK: call void @tutti_task_submit_loop(
  #pragma oss taskloop grainsize(n) in(x[i]) inout(y[i])
  for (int i = 0; i < n; i++) y[i] += x[i];
  // CHECK: call ptr @tutti_task_begin({{.*}}, ptr {{.*}}, i32 {{.*}}8)
  // CHECK: call ptr @tutti_task_option(i32 {{.*}}7,
  // CHECK: call ptr @tutti_task_option(i32 9, i64 1)
  // CHECK: call void @tutti_task_submit_loop(
  #pragma oss task for chunksize(4) inout(y[0;n])
  for (int i = 0; i < n; i++) y[i] += 1;
  // Who is called may make tasks: one worker does all.
  // CHECK: call ptr @tutti_task_option(i32 {{.*}}7,
  // CHECK-NOT: call ptr @tutti_task_option(i32 9
  // CHECK: call void @tutti_task_submit_loop(
  #pragma oss task for chunksize(4) inout(y[0;n])
  for (int i = 0; i < n; i++) use(y + i);
}

// CHECK-LABEL: define{{.*}} void @locks(
void locks(int *x) {
  // CHECK: call void @tutti_task_critical_begin(ptr {{.*}}@.gomp_critical_user_tutti_oss_critical_name.var)
  #pragma oss critical(name)
  ++*x;
  // CHECK: call void @tutti_task_critical_end(ptr {{.*}}@.gomp_critical_user_tutti_oss_critical_name.var)
  // CHECK: atomicrmw add
  #pragma oss atomic
  *x += 1;
}

// CHECK-LABEL: define{{.*}} void @reductions(
void reductions(double *p) {
  int s = 0;
  // CHECK: @tutti_task_reduction(i32 {{.*}}0, ptr {{.*}}, i64 {{.*}}4, i32 {{.*}}1, i32 {{.*}}5)
  // CHECK: @tutti_task_reduction(i32 {{.*}}16, ptr {{.*}}, i64 {{.*}}24, i32 {{.*}}10, i32 {{.*}}10)
  #pragma oss task reduction(+: s) weakreduction(max: [3]p)
  s++;
}

// CHECK-LABEL: define{{.*}} void @iterators(
void iterators(int n, double *v) {
  // CHECK: @tutti_task_access(i32 {{.*}}1, ptr
  #pragma oss task in({v[i * j], i=0:9:2, j=i;n}) out({v[k], k={1, 5, n}})
  use(v);
}
// Clauses from macros, also of several words, of none, and with arguments.
#define NOTHING
#define BOTH inout(*x) priority(3)
#define BLOCK(kind, v, n) kind((v)[0;n])
// CHECK-LABEL: define{{.*}} void @macros(
void macros(int n, int *x, double *v) {
  // CHECK: @tutti_task_option(i32 {{.*}}1, i64
  // CHECK: @tutti_task_access(i32 {{.*}}3, ptr
  // CHECK: @tutti_task_section(i32 {{.*}}1, ptr
  #pragma oss task NOTHING BOTH BLOCK(in, v, n)
  use(x);
}
// CHECK-NOT: __kmpc_omp_task
