// How many iterations an inner loop has is not known exactly where its step is known to the launch
// only and a pointer walks along with it: there is a kernel, but not one whose groups share that loop.
// RUN: %tutticc -Rpass-analysis=tutti -c -o /dev/null %s 2>&1 | FileCheck %s

// CHECK: kernel over 1 loop
void walked(double *b, const double *x, const double *a, int n, int m, long l, int step) {
  #pragma omp parallel for
  for (int i = 1; i < n; i++) {
    const double *at = x;
    for (int j = 1; j < m; j += step) {
      const double first = *at++;
      double sum = 0;
      for (int k = 0; k < 5; k++) sum += x[k] * a[k * l + j] + first;
      b[i * l + j] = sum;
    }
  }
}
