// What the code of tasks touches is described where it has a closed form; a remark says why not.
// RUN: %tutticc -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s
// RUN: %tutticc -Rpass-analysis=tutti -S -emit-llvm -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARK
// At -O0 nothing is.
// RUN: %tutticc -O0 -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s --check-prefix=PLAIN
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

void unknown(double *);
static int size = 100;

// PLAIN-NOT: tutti.code
// The descriptor: flags of such code alone, two captures, and the task's function.
// CHECK: @[[SCALE:.omp_task_entry.[.0-9]*]].tutti.code = internal {{global|constant}} {{.*}} { i32 {{[0-9]+}}, i32 512, i64 {{-?[0-9]+}}, ptr {{.*}}, ptr {{.*}}, ptr null, i32 2, i32 {{[0-9]+}}, ptr @[[SCALE]], ptr null, ptr @[[SCALE]].tutti.gather, ptr @[[SCALE]].tutti.trip, ptr @[[SCALE]].tutti.accesses, ptr null, ptr null, ptr null, ptr null }
// CHECK: @[[SCALE]].tutti.listed = internal {{global|constant}} ptr @[[SCALE]].tutti.code, section "tutti_regions"
void scale(int n, double *x) {
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: task may run on other ranks: all that it touches is known
  #pragma oss task inout(x[0;n])
  for (int i = 0; i < n; i++) x[i] *= 2;
}

// A loop of the program's around a variable of its own, and a bound that is in memory.
void own(double *x) {
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: task may run on other ranks
  #pragma oss task inout(x[0;100])
  {
    double row[8];
    for (int k = 0; k < 8; k++) row[k] = k;
    for (int i = 0; i < size; i++) x[i] += row[i & 7];
  }
}

// Part of a loop, and what is reduced.
void loop(int n, double *x, double *sum) {
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: task may run on other ranks
  #pragma oss taskloop inout(x[i]) grainsize(16)
  for (int i = 0; i < n; i++) x[i] += 1;
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: task may run on other ranks
  #pragma oss task in(x[0;n]) reduction(+: [1]sum)
  for (int i = 0; i < n; i++) sum[0] += x[i];
}

void rest(int n, double *x, double **rows, volatile int *flag) {
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: task runs on rank 0, unless it names a node or cluster memory alone: it calls 'unknown', which is not defined in this file (line [[@LINE+2]])
  #pragma oss task inout(x[0;n])
  unknown(x);
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: task runs on rank 0, {{.*}}: it makes tasks, or waits for some
  #pragma oss task inout(x[0;n])
  {
    #pragma oss task inout(x[0])
    x[0] = 1;
  }
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: task runs on rank 0, {{.*}}: it contains a critical section
  #pragma oss task inout(x[0;n])
  {
    #pragma oss critical
    x[0] = 1;
  }
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: task runs on rank 0, {{.*}}: it accesses a shared variable that is volatile or atomic
  #pragma oss task in(*flag)
  while (!*flag) { }
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: task runs on rank 0, {{.*}}: it follows pointers that it finds in memory
  #pragma oss task inout(rows[0;n])
  for (int i = 0; i < n; i++) rows[i][0] = 1;
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: task runs on rank 0, {{.*}}: it contains another parallel construct
  #pragma oss task inout(x[0;n])
  {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) x[i] = 1;
  }
}
