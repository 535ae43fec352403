// What may throw ends the program if it leaves the region; chunks have no such end.
// RUN: %tuttic++ -c -o /dev/null %s 2>&1 | FileCheck %s
int opaque(int);
int harmless(int) noexcept __attribute__((const));

void loops(int n, int *a) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls 'opaque(int)', which may throw an exception
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = opaque(i);

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it may throw an exception (line [[@LINE+3]])
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (a[i] < 0) throw i;
    a[i] = 1;
  }

  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = harmless(i);
}
