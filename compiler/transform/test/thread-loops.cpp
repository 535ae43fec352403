// In C++ the question for the number may be an invoke, and what threads find a member.
// RUN: %tuttic++ -c -o /dev/null %s 2>&1 | FileCheck %s
#include <omp.h>

struct Sums {
  double *of;
  void add(double x) { of[omp_get_thread_num()] += x; }
};

void collect(int n, Sums &sums, const double *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region with thread numbers is distributed over ranks
#pragma omp parallel
  {
    const int threads = omp_get_num_threads();
    for (int i = omp_get_thread_num(); i < n; i += threads) {
      sums.add(a[i]);
    }
  }
}

void opaque();

void may_throw(double *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel region stays on rank 0: {{.*}}
#pragma omp parallel
  {
    opaque();
    a[omp_get_thread_num()] = 1;
  }
}
