// What threads of a loop add to shared variables, atomically or in critical sections, each adds to
// copies of its own; they are combined once, as by a reduction clause.
// RUN: %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s
// RUN: clang -O1 -fopenmp -Xclang -disable-llvm-passes -S -emit-llvm -o - %s | opt -load-pass-plugin=%plugin -passes=tutti-reduce-updates,verify -S | FileCheck %s --check-prefix=IR
// RUN: clang -O1 -g -fopenmp -Xclang -disable-llvm-passes -S -emit-llvm -o - %s | opt -load-pass-plugin=%plugin -passes=tutti-join-debug-functions,tutti-reduce-updates,verify -disable-output

// IR-LABEL: define internal void @atomic.omp_outlined.reduced(
// IR-NOT:     atomicrmw
// IR:         call i32 @__kmpc_reduce_nowait({{.*}}, i32 2, i64 16, ptr %tutti.list, ptr @atomic.omp_outlined.reduced.combine
// IR-NEXT:    switch i32 %{{.*}}, label %{{.*}} [
// IR-NEXT:      i32 1, label %combine
// IR-NEXT:    ]
// IR:       combine:
// IR:         fadd double
// IR:         sub i32
// IR:         call void @__kmpc_end_reduce_nowait(
double atomic(int n, const double *x, int *count) {
  double s = 0;
  int left = n;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    #pragma omp atomic
    s += x[i];
    #pragma omp atomic
    left--;
  }
  *count = left;
  return s;
}

// IR-LABEL: define internal void @choice.omp_outlined.reduced(
// IR:         store double 0xFFF0000000000000, ptr %tutti.own
// IR-NOT:     @__kmpc_critical
// IR:       combine:
// IR:         fcmp ogt double
int choice(int n, const double *x) {
  double most = -1;
  int where = -1;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    #pragma omp critical
    if (x[i] > most) { most = x[i]; where = i; }
  }
  return where;
}

// Of equal values the one with the least number wins; a copy begins with a number that loses to all.
// IR-LABEL: define internal void @tie.omp_outlined.reduced(
// IR-DAG:     store double 0x7FF0000000000000, ptr %tutti.own
// IR-DAG:     store i32 2147483647, ptr %tutti.own
// IR-NOT:     @__kmpc_critical
// IR:       combine:
// IR:         fcmp olt double
// IR:         icmp slt i32
// IR:         fcmp oeq double
int tie(int n, const double *x) {
  double least = 1e300;
  int where = n, also = 0;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const double v = x[i];
    #pragma omp critical
    if (v < least || (v == least && i < where)) { least = v; where = i; also = 2 * i; }
  }
  return where + also;
}

// The number that is compared is not the one that is kept; whoever comes last of equals wins.
int no_tie(int n, const double *x) {
  double least = 1e300;
  int where = n;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it contains a critical section
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const double v = x[i];
    #pragma omp critical
    if (v < least || (v == least && i < where)) { least = v; where = i + 1; }
  }
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it contains a critical section
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const double v = x[i];
    #pragma omp critical
    if (v < least || (v == least && i <= where)) { least = v; where = i; }
  }
  return where;
}

double behind(int n, const double *x) {
  double s = 0;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel
  {
    double own = 0;
    #pragma omp for
    for (int i = 0; i < n; i++) own += x[i];
    #pragma omp critical
    s += own;
  }
  return s;
}

static double square(double x) { return x * x; }
double called(int n, const double *x) {
  double s = 0;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    #pragma omp atomic
    s += square(x[i]);
  }
  return s;
}

// A function of the library that knows nothing of other threads.
int rand_r(unsigned *);
long drawn(int n) {
  long s = 0;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    unsigned seed = i;
    const int number = rand_r(&seed);
    #pragma omp critical
    s += number;
  }
  return s;
}

// One for each thread.
int threads(int n, double *x) {
  int count = 0;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: {{.*}}atomic
  #pragma omp parallel
  {
    #pragma omp for
    for (int i = 0; i < n; i++) x[i] = i;
    #pragma omp atomic
    count++;
  }
  return count;
}

// What was added so far is looked at.
int looked_at(int n, double *x) {
  int count = 0;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it contains a critical section
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    #pragma omp critical
    {
      x[count] = i;
      count++;
    }
  }
  return count;
}

int captured(int n, int *slot) {
  int count = 0;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: {{.*}}atomic
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    #pragma omp atomic capture
    slot[i] = count--;
  }
  return count;
}

// A function may, too.
int counted;
__attribute__((noinline)) static int sofar(void) {
  int now;
  #pragma omp atomic read
  now = counted;
  return now;
}
void in_call(int n, int *x) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: {{.*}}atomic
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    x[i] = sofar();
    #pragma omp atomic
    counted++;
  }
}

// The order matters.
int order(int n, const int *x) {
  int s = 0;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it contains a critical section
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    #pragma omp critical
    s = x[i] - s;
  }
  return s;
}
