// Places where profilers count keep a loop neither home nor off devices.
// RUN: %tutticc -fpseudo-probe-for-profiling -c -o /dev/null %s 2>&1 | FileCheck %s --implicit-check-not=" kernel: " --implicit-check-not="stays on rank 0"
// RUN: %tutticc -g -fpseudo-probe-for-profiling -c -o /dev/null %s 2>&1 | FileCheck %s --implicit-check-not=" kernel: " --implicit-check-not="stays on rank 0"

static double scaled(double x) { return x > 0 ? 2 * x : 0; }

void loops(int n, double *x, double *y, double *total) {
  double sum = 0;
  #pragma omp parallel
  {
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
    #pragma omp for nowait
    for (int i = 0; i < n; i++) x[i] = scaled(x[i]);
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
    #pragma omp for
    for (int i = 0; i < n; i++) for (int k = 0; k < n; k++) y[i * n + k] -= 3;
  }
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += x[i];
  *total = sum;
}
