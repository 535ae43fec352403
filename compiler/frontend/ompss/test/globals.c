// A task tells which global variables its code uses, through calls and tasks that it makes, and which
// of them it may write.
// RUN: %tutticc -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s
// RUN: clang -O0 -fopenmp -fplugin=%frontend -fpass-plugin=%plugin -S -emit-llvm -o - %s | FileCheck %s
int size, count, table[10], handed, far;
static int *cells;
static const int fixed = 3;
extern int elsewhere;
static _Thread_local int own;
void use(int *);

static int look(int i) { return table[i] + size + fixed; }

// CHECK-DAG: [[READS:@tutti.task.variables[.0-9]*]] = private{{.*}} constant [3 x { ptr, i64, i64 }] [{ ptr, i64, i64 } { ptr @cells, i64 8, i64 0 }, { ptr, i64, i64 } { ptr @table, i64 40, i64 0 }, { ptr, i64, i64 } { ptr @size, i64 4, i64 0 }]
void reads(void) {
  #pragma oss task
  cells[look(1)] = 1;
}

// CHECK-DAG: [[WRITES:@tutti.task.variables[.0-9]*]] = private{{.*}} constant [4 x { ptr, i64, i64 }] [{ ptr, i64, i64 } { ptr @count, i64 4, i64 1 }, { ptr, i64, i64 } { ptr @handed, i64 4, i64 1 }, { ptr, i64, i64 } { ptr @elsewhere, i64 4, i64 0 }, { ptr, i64, i64 } { ptr @far, i64 4, i64 1 }]
void writes(void) {
  #pragma oss task
  {
    ++count;
    use(&handed);
    #pragma oss task
    far = elsewhere;
  }
}

// CHECK-DAG: [[OWN:@tutti.task.variables[.0-9]*]] = private{{.*}} constant [1 x { ptr, i64, i64 }] [{ ptr, i64, i64 } { ptr null, i64 4, i64 1 }]
void of_a_thread(void) {
  #pragma oss task
  own = 1;
}

#pragma oss task device(opencl) ndrange(1, 4) out([4]p)
void kernel(int *p);
static void launch(int *p) { kernel(p); }

// CHECK-DAG: [[DEVICES:@tutti.task.variables[.0-9]*]] = private{{.*}} constant [1 x { ptr, i64, i64 }] [{ ptr, i64, i64 } { ptr null, i64 0, i64 2 }]
void of_devices(int *p) {
  #pragma oss task out(p[0;4])
  launch(p);
}

void *nanos6_lmalloc(unsigned long size);
static int *allocate(void) { return nanos6_lmalloc(4); }

// CHECK-DAG: = private{{.*}} constant [1 x { ptr, i64, i64 }] [{ ptr, i64, i64 } { ptr null, i64 0, i64 4 }]
void of_the_cluster(int **p) {
  #pragma oss task out(*p)
  *p = allocate();
}

// CHECK-LABEL: define{{.*}} void @nothing(
// CHECK-NOT: tutti_task_variables
// CHECK: call void @tutti_task_submit(
void nothing(int *p) {
  #pragma oss task out(p[0])
  *p = fixed;
}
