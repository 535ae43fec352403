// Without optimisation one remark says for all of the file that loops stay on rank 0.
// RUN: %tutticc -O0 -c -o /dev/null %s 2>&1 | FileCheck %s
// RUN: %tutticc -O1 -c -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=OPTIMISED
// CHECK-NOT: remark:
// CHECK: :[[@LINE+5]]:{{[0-9]+}}: remark: parallel loops of this file stay on rank 0: it is compiled without optimisation; from -O1 on they can be distributed
// CHECK-NOT: remark:
// OPTIMISED-NOT: remark: parallel loops of this file
// OPTIMISED: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
void set(int n, int *a) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = i;
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] += i;
}
