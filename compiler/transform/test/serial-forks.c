// Parallel constructs inside of a loop are executed by the thread that reaches them, where the loop is
// divided; rank 0 on its own still forks.
// RUN: %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s
// RUN: %tutticc -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s --check-prefix=CODE

// CODE-LABEL: define internal void @columns.omp_outlined.tutti.chunk(
// CODE-NOT:     @__kmpc_fork_call
// CODE-NOT:     @tutti_launch
// CODE:         ret void
// CODE-LABEL: define internal void @columns.omp_outlined.tutti.home(
// CODE:         call void {{.*}} @__kmpc_fork_call({{.*}} @columns.omp_outlined,
void columns(int n, int m, double *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    #pragma omp parallel for num_threads(3) schedule(static, 5)
    for (int j = 0; j < m; j++) a[i * m + j] = i + j;
  }
}

static double sum(int m, const double *a) {
  double s = 0;
  #pragma omp parallel for reduction(+ : s)
  for (int j = 0; j < m; j++) s += a[j];
  return s;
}

void called(int n, int m, const double *a, double *s) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (int i = 0; i < n; i++) s[i] = sum(m, a + i * m);
}

// Threads that teams fork may fork again.
void teams(int n, int m, double *a, double *s) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp target teams distribute
  for (int i = 0; i < n; i++) {
    double part[64], r = 0;
    #pragma omp parallel for
    for (int j = 0; j < 64; j++) {
      double q = 0;
      #pragma omp parallel for reduction(+ : q)
      for (int k = 0; k < 4; k++) q += a[i * 64 + j] * k;
      part[j] = q;
    }
    #pragma omp parallel for reduction(+ : r)
    for (int j = 0; j < 64; j++) r += part[j];
    s[i] = r;
  }
}

// Threads of both teams combine into one variable.
double into_shared(int n, int m, const double *a) {
  double s = 0;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it contains another parallel construct
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    #pragma omp parallel for reduction(+ : s)
    for (int j = 0; j < m; j++) s += a[i * m + j];
  }
  return s;
}

int omp_get_thread_num(void);
void numbered(int n, int m, double *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it contains another parallel construct
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    #pragma omp parallel for
    for (int j = 0; j < m; j++) a[i * m + j] = omp_get_thread_num();
  }
}

// Threads that come to the same construct again, by a function that calls itself.
void halves(double *a, int first, int last) {
  if (last - first < 2) return;
  const int middle = (first + last) / 2;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it contains another parallel construct
  #pragma omp parallel sections
  {
    #pragma omp section
    halves(a, first, middle);
    #pragma omp section
    halves(a, middle, last);
  }
  for (int i = first; i < middle; i++) a[i] += a[i + (last - first) / 2];
}

// The same, several times in each round.
void quarters(double *a, int first, int last) {
  if (last - first < 4) return;
  const int middle = (first + last) / 2;
  quarters(a + 1, first, middle - 1);
  quarters(a + 2, middle, last - 2);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls 'quarters', which cannot be analysed in place
  #pragma omp parallel sections
  {
    #pragma omp section
    quarters(a, first, middle);
    #pragma omp section
    quarters(a, middle, last);
  }
}
