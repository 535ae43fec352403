// A construct with one worksharing loop is one launch only if every thread executes the loop once,
// and if nothing beside the loop depends on when it is executed.
// RUN: %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s
// RUN: %tutticc -O1 -c -o /dev/null %s 2>&1 | FileCheck %s
// RUN: %tutticc -g -c -o /dev/null %s 2>&1 | FileCheck %s
#include <stdlib.h>

static double *shared;
int count;

void repeated(int n, int sweeps, double *u, double *v) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: its worksharing loop is executed repeatedly, and {{[a-z ]+}} (line [[@LINE+3]])
  #pragma omp parallel reduction(+ : count)
  for (int s = 0; s < sweeps; s++) {
    #pragma omp for
    for (int i = 1; i < n - 1; i++)
      if ((i + s) & 1) u[i] = 0.5 * (u[i - 1] + u[i + 1]);
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: its worksharing loop is executed repeatedly, and {{[a-z ]+}} (line [[@LINE+3]])
  #pragma omp target parallel map(tofrom : u[0 : n]) reduction(+ : count)
  for (int s = 0; s < sweeps; s++) {
    #pragma omp for schedule(dynamic, 7)
    for (int i = 1; i < n - 1; i++)
      if ((i + s) & 1) u[i] = 0.5 * (u[i - 1] + u[i + 1]);
  }

  // A loop whose end depends on the data, and a nowait that no thread minds.
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: its worksharing loop is executed repeatedly, and {{[a-z ]+}} (line [[@LINE+5]])
  #pragma omp parallel reduction(+ : count)
  {
    int s = 0;
    while (v[s] > 0) {
      #pragma omp for nowait
      for (int i = 0; i < n; i++) u[i] += v[s];
      s++;
    }
  }

  // The same loops of the same teams again: each team sees what it wrote.
  #pragma omp target teams num_teams(sweeps) map(tofrom : u[0 : n])
  for (int s = 0; s < sweeps; s++) {
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
    #pragma omp distribute
    for (int i = 0; i < n; i++) u[i] = u[i] * 0.5 + s;
  }
}

static void half(int n, double *u) {
  #pragma omp for
  for (int i = 0; i < n; i++) u[i] *= 0.5;
}

void orphaned(int n, int sweeps, double *u) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: its worksharing loop is executed repeatedly
  #pragma omp parallel reduction(+ : count)
  for (int s = 0; s < sweeps; s++) half(n, u);

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel
  half(n, u);

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel
  if (sweeps > 3) half(n, u);
}

double beside(int n, double *u, double *v) {
  double most = 0;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it writes to shared memory outside of its loop (line [[@LINE+3]])
  #pragma omp parallel
  {
    u[n] = 1;
    #pragma omp barrier
    #pragma omp for
    for (int i = 0; i < n; i++) u[i] += u[n];
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it writes to shared memory outside of its loop (line [[@LINE+5]])
  #pragma omp parallel
  {
    #pragma omp for
    for (int i = 0; i < n; i++) u[i] += v[0];
    v[0] = 2;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: its loop may change what is read outside of it, before or after a barrier (line [[@LINE+4]])
  #pragma omp parallel
  {
    double sum = 0; // Each thread adds up all of it.
    for (int k = 0; k < n; k++) sum += u[k];
    #pragma omp barrier
    #pragma omp for
    for (int i = 0; i < n; i++) u[i] += sum;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: its loop may change what is read outside of it, before or after a barrier (line [[@LINE+5]])
  #pragma omp parallel reduction(max : most)
  {
    #pragma omp for
    for (int i = 0; i < n; i++) u[i] += v[i];
    for (int k = 0; k < n; k++) most = most > u[k] ? most : u[k];
  }

  // The loop cannot have changed it for another thread, as there is no barrier.
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel
  {
    double sum = 0;
    for (int k = 0; k < n; k++) sum += v[k];
    #pragma omp for
    for (int i = 0; i < n; i++) u[i] += sum;
  }

  // What ends the program must not see an old value either.
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: its loop may change what is read outside of it, before or after a barrier (line [[@LINE+5]])
  #pragma omp parallel
  {
    #pragma omp for
    for (int i = 0; i < n; i++) u[i] += 1;
    for (int k = 0; k < n; k++) if (u[k] < 1) abort();
  }

  // A scalar at a fixed place is read before the launch, and the runtime sees to it that no loop writes there.
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel
  {
    const double first = *v;
    #pragma omp barrier
    #pragma omp for
    for (int i = 0; i < n; i++) shared[i] += first;
  }
  return most;
}

void asked(int n, int threads, double *u) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it asks for one thread, which executes its iterations in their order
  #pragma omp parallel for num_threads(1)
  for (int i = 1; i < n; i++) u[i] += u[i - 1];

  // The runtime sees how many.
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for num_threads(threads)
  for (int i = 0; i < n; i++) u[i] += 1;
}

// Variables that were meant to be private.
double written_by_all(int n, const double *a, double *b) {
  double x, sum = 0;
  int j;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: each of its iterations writes {{'x'|a variable}} that all threads share
  #pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++) {
    x = a[i] + 0.5;
    sum += x * x;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: each of its iterations writes {{'j'|a variable}} that all threads share
  #pragma omp parallel for schedule(dynamic, 3)
  for (int i = 0; i < n; i++)
    for (j = 0; j < n; j++) b[i] += a[3 * i + j];
  return sum + x + j;
}

// Some iterations do, or all of them write the same constant.
int written_by_some(int n, const double *a, int *last) {
  int found = 0;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (a[i] > 5) *last = i;

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (int i = 0; i < n; i++) found = 1;

  int end;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for lastprivate(end)
  for (int i = 0; i < n; i++) end = i * (int)a[i];
  return found + end;
}
