// What may throw ends the program if it leaves the region, and so do failed assertions: a loop is
// divided if that is all that stands in the way, but has no kernel. Other calls, and `exit`, which is
// rank 0's, keep it home.
// RUN: %tuttic++ -S -emit-llvm -o %t.ll %s 2>&1 | FileCheck %s
// RUN: FileCheck --input-file %t.ll --check-prefix IR %s
#include <cstdlib>
int opaque(int);
int harmless(int) noexcept __attribute__((const));
[[noreturn]] void report(int);

// The check's own read is one of the region's.
// IR-LABEL: define internal void @_Z7literaliPi.omp_outlined.tutti.accesses(
// IR:         call void @tutti_access(ptr {{.*}}, i32 1, i64
// IR-LABEL: define internal void @_Z7literaliPi.omp_outlined.tutti.chunk(
// IR:         @__cxa_throw
void literal(int n, int *a) {
  // CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop has no device kernel: it may end the program (line [[@LINE+3]])
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (a[i] < 0) throw i;
    a[i] = 1;
  }
}

void aborted(int n, int *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (i == 1000) std::abort();
    a[i] = 1;
  }
}

void plain(int n, int *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = harmless(i);
}

void home(int n, int *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls 'opaque(int)', which may throw an exception
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = opaque(i);

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls 'exit'
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (a[i] < 0) std::exit(3);
    a[i] = 1;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls 'report(int)'
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (a[i] < 0) report(i);
    a[i] = 1;
  }

  // What an ending does before it is looked at as well.
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls 'opaque(int)'
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (a[i] < 0) throw opaque(i);
    a[i] = 1;
  }
}
