// Private copies of reduced sections are prepared by loops in front of the parallel one, whose bounds
// are known all the same.
// RUN: %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s

// CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed
void histogram(int n, const unsigned char *image, int *counts, int bins) {
  #pragma omp parallel for reduction(+ : counts[:bins])
  for (int i = 0; i < n; i++) counts[image[i]]++;
}

// CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed
void extremes(long n, const double *x, double *low, double *high, long groups) {
  #pragma omp parallel for reduction(min : low[:groups]) reduction(max : high[:groups])
  for (long i = 0; i < n; i++) {
    low[i % groups] = x[i] < low[i % groups] ? x[i] : low[i % groups];
    high[i % groups] = x[i] > high[i % groups] ? x[i] : high[i % groups];
  }
}
