// Pointers in a structure that callees are given by value are the structure's, wherever they have been copied to.
// RUN: %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s
typedef struct {
  const double *values;
  const int *counts, *rows;
  long width;
} Data;

__attribute__((noinline)) void part(double *sum, int row, Data data) {
  for (int i = 0; i < data.counts[row]; i++) *sum += data.values[data.rows[row * data.width + i]];
}

__attribute__((noinline)) void all(double *sum, int row, Data data) {
  for (int i = 0; i < data.width; i++) {
    double one = 0;
    part(&one, (row + i) % 64, data);
    *sum += one;
  }
}

void sums(int n, double *out, Data data) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for shared(data)
  for (int i = 0; i < n; i++) {
    double sum = 0;
    all(&sum, i % 64, data);
    out[i] = sum;
  }
}
