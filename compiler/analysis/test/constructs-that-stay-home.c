// Constructs of OpenMP and C that a chunk cannot hold, and loops that look beyond themselves.
// RUN: %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s
// RUN: %tutticc -fnoopenmp-use-tls -c -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=CACHED
#include <stdarg.h>
#include <stdlib.h>
extern int *kept;

int counter;
#pragma omp threadprivate(counter)

static int sum(int n, ...) {
  va_list list;
  va_start(list, n);
  int s = 0;
  for (int k = 0; k < n; k++) s += va_arg(list, int);
  va_end(list);
  return s;
}

static int steps;
static int even(int n);
static int odd(int n) { return n == 0 ? 0 : even(n - 1) * 2 + ++steps; }
static int even(int n) { return n == 0 ? 1 : odd(n - 1) + 1; }

static long tree(long n) { return n < 2 ? n + ++steps : tree(n - 1) * 3 + tree(n - 2); }

void constructs(int n, int *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it creates tasks
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    #pragma omp task firstprivate(i)
    a[i] = i;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it contains another parallel construct
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    #pragma omp parallel for schedule(dynamic)
    for (int j = 0; j < n; j++) a[i * n + j] = i;
  }

  // Of a thread-local variable nothing is known but that it is another one on every thread.
  // CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it uses thread-private variables (line [[@LINE+3]])
  // CACHED: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it uses thread-private variables
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = counter++;

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it contains a flush construct
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    a[i] = i;
    #pragma omp flush
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it contains a cancel construct
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    #pragma omp cancel for if (a[i] < 0)
    a[i] = i;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region stays on rank 0: it contains an ordered construct
  #pragma omp parallel for ordered(1)
  for (int i = 1; i < n; i++) {
    #pragma omp ordered depend(sink : i - 1)
    a[i] += a[i - 1];
    #pragma omp ordered depend(source)
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: the loop has an ordered clause or a schedule that is not distributed
  #pragma omp parallel for ordered
  for (int i = 0; i < n; i++) a[i] = i;

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region stays on rank 0: the parallel construct holds no worksharing loop
  #pragma omp parallel
  a[0] = 1;

  // Sections are a loop over their numbers to libomp; all write, each elsewhere, under conditions.
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel
  #pragma omp parallel sections
  {
    #pragma omp section
    a[0] = 1;
    #pragma omp section
    a[1] = 1;
  }
}

void calls(int n, int *a) {
  // Bodies that cannot be put in place of the call: with variable arguments, recursive with
  // effects on what others see.
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls 'llvm.va_start
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = sum(3, i, a[i], 2);

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls 'tree'
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = tree(a[i]);

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls '{{odd|even}}', which cannot be analysed in place
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = odd(a[i]);
}

double height[1000];
static int higher(int a, int b) { return height[a] > height[b] ? a : b; }
#pragma omp declare reduction(higher : int : omp_out = higher(omp_out, omp_in))                    \
    initializer(omp_priv = 0)

int combine(int n, const double *x) {
  int best = 0;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: its reduction reads other shared variables (line [[@LINE+1]], in 'higher' at line [[@LINE-6]])
  #pragma omp parallel for reduction(higher : best)
  for (int i = 0; i < n; i++) best = x[i] > 3 ? i : best;
  return best;
}

double forms(int n, int *a, double *x) {
  double s = 0;
  double t = 0;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: the parallel construct holds more than one reduction
  #pragma omp parallel reduction(+ : s)
  {
    #pragma omp for reduction(+ : t)
    for (int i = 0; i < n; i++) t += x[i];
    s += 1;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it reads shared variables after a reduction (line [[@LINE+5]])
  #pragma omp parallel
  {
    #pragma omp for reduction(+ : s)
    for (int i = 0; i < n; i++) s += x[i];
    if (s < 0) abort();
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: its number of iterations is not in closed form
  #pragma omp parallel
  {
    int m = 0;
    while (a[m]) m++;
    #pragma omp for
    for (int i = 0; i < m; i++) x[i] = i;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it writes at addresses that are not in closed form (line [[@LINE+5]])
  #pragma omp parallel
  {
    int k = 0;
    while (a[k] > 0) k = a[k];
    #pragma omp for reduction(+ : x[k : 4])
    for (int i = 0; i < n; i++) x[k + (i & 3)] += i;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it reaches memory through a pointer whose origin is not known (line [[@LINE+4]])
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double *p = (double *)((unsigned long)a[i] * 8);
    *p += 1;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it follows a pointer that it keeps in a private variable (line [[@LINE+4]])
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double *either[2] = {x, x + n};
    either[a[i] & 1][i] = 1;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it allocates or frees memory with 'malloc' (line [[@LINE+3]])
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int *own = malloc(n * sizeof *own);
    for (int k = 0; k < n; k++) own[k] = a[k] + i;
    for (int k = 0; k < n; k++) x[i] += own[a[k]];
    if (a[i] == 7) kept = own;
  }
  return s + t;
}
