// What a thread allocates for itself is private memory. What others may get to see keeps a loop home.
// RUN: %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %tutticc -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s
#include <stdlib.h>

// CHECK-LABEL: define {{.*}} @own.omp_outlined.tutti.chunk(
// CHECK:         call {{.*}}ptr @tutti_private_malloc(
// CHECK-NOT:     @tutti_malloc
// CHECK:         call void @tutti_private_free(
void own(int n, int m, double *a) {
  // REMARK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  // REMARK: remark: parallel loop has no device kernel: it allocates memory of a size that is not known
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double *row = malloc(m * sizeof *row);
    for (int k = 0; k < m; k++) row[k] = a[i] / (k + 1);
    for (int k = 1; k < m; k++) row[k] += row[k - 1] * row[k];
    a[i] = row[m - 1];
    free(row);
  }
}

// A fixed size: a variable, which kernels have.
// CHECK-LABEL: define {{.*}} @fixed.omp_outlined.tutti.chunk(
// CHECK-NOT:     call {{.*}}ptr @tutti_{{(private_)?}}malloc(
void fixed(int n, const int *index, double *a) {
  // REMARK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  // REMARK-NOT: no device kernel
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double *row = malloc(24 * sizeof *row);
    for (int k = 0; k < 24; k++) row[k] = a[i] / (k + 1);
    for (int k = 1; k < 24; k++) row[k] += row[k - 1] * row[k];
    a[i] = row[index[i] & 15];
    free(row);
  }
}

void kept(int n, double **a) {
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it allocates or frees memory with 'malloc'
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = malloc(8 * i);
}

void freed(int n, double **a) {
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it allocates or frees memory with 'free'
  #pragma omp parallel for
  for (int i = 0; i < n; i++) free(a[i]);
}

void either(int n, double **a) {
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it allocates or frees memory with '{{malloc|free}}'
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double *row = i % 3 ? a[i] : malloc(n * 8);
    for (int k = 1; k < n; k++) row[k] = row[k - 1] + i;
    a[i][0] = row[n - 1];
    free(row);
  }
}

void handed(int n, double *a, void (*take)(double *)) {
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it {{calls|allocates}}
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double *row = malloc(8 * n);
    take(row);
    a[i] = row[i];
    free(row);
  }
}
