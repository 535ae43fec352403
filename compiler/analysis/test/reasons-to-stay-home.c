// Each construct that cannot be divided over ranks says so, with the place where it is seen.
// RUN: %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
void opaque(int);
extern int (*callback)(int);
struct cell {
  struct cell *next;
  int value;
};

void home(int n, int *a, double **rows, const int *index, volatile int *port,
          struct cell **heads) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls 'opaque', which is not defined in this file
  #pragma omp parallel for
  for (int i = 0; i < n; i++) opaque(i);

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls 'omp_get_level', whose answer depends on where it is called
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = omp_get_level();

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls a function through a pointer
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = callback(i);

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it contains an atomic update (line [[@LINE+4]])
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    #pragma omp atomic
    a[index[i]] *= 2;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it contains a critical section
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    #pragma omp critical
    a[0] += i;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: {{.*}}ordered
  #pragma omp parallel for ordered
  for (int i = 0; i < n; i++) {
    #pragma omp ordered
    a[0] = i;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it writes through pointers that it finds in
  #pragma omp parallel for
  for (int i = 0; i < n; i++) rows[index[i]][0] = a[i];

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it writes through pointers that it finds in
  #pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (struct cell *at = heads[i]; at; at = at->next) at->value += a[i];

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it follows pointers that it finds in memory, and may end the program (line [[@LINE+4]])
  #pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (struct cell *at = heads[i]; at; at = at->next) {
      if (at->value < 0) abort();
      a[i] += at->value;
    }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it accesses a shared variable that is volatile or atomic (line [[@LINE+2]])
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = *port;

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it contains inline assembly
  #pragma omp parallel for
  for (int i = 0; i < n; i++) { a[i] = i; __asm__ volatile("nop"); }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region stays on rank 0: it calls 'opaque', which is not defined in this file
  #pragma omp parallel
  { opaque(1); }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region stays on rank 0: it contains a single, master or masked construct
  #pragma omp parallel
  {
    #pragma omp single
    a[0] = 1;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: the parallel construct holds more than one worksharing loop
  #pragma omp parallel
  {
    #pragma omp for
    for (int i = 0; i < n; i++) a[i] = i;
    *(volatile int *)a = 1;
    #pragma omp for
    for (int i = 0; i < n; i++) a[i] += i;
  }

  // A copy of the loop would jump back to the original.
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it jumps to computed places
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    void *ways[] = {&&zero, &&one};
    goto *ways[i & 1];
  zero:
    a[i] = i;
    continue;
  one:
    a[i] = -i;
  }
}
