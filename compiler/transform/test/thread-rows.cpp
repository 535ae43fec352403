// Objects that are made when a thread first gets at them stay where they are.
// RUN: %tuttic++ -c -o /dev/null %s 2>&1 | FileCheck %s
#include <omp.h>
#include <vector>

static thread_local std::vector<double> made(8);
static thread_local double plain[8];

void objects(int n, double *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel {{.*}} stays on rank 0
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    plain[i % 8] = i;
    a[i] = made[i % 8] + plain[i % 8];
  }
}

void plains(int n, double *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region with thread numbers is distributed over ranks
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    plain[i % 8] = i;
    a[i] = plain[i % 8];
  }
}
