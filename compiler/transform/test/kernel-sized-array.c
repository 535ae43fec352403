// An array whose size is a constant only for the optimiser is a private variable like others; where
// the program would leave the space of arrays of variable size, kernels have nothing to do.
// RUN: env TUTTI_TARGETS=print,ptx %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s

// CHECK-NOT:   stack{{save|restore}}
// CHECK-LABEL: define void @tutti_blocks_omp_outlined_flat(
// CHECK-NOT:   stack{{save|restore}}
void blocks(int n, int m, float *restrict a, const float *restrict b) {
#pragma omp parallel for
  for (int i = 0; i < n; i += 8) {
    const int size = 8;
    float sums[size];
    for (int k = 0; k < size; ++k) {
      sums[k] = a[i + k];
    }
    for (int j = 0; j < m; ++j) {
      for (int k = 0; k < size; ++k) {
        sums[k] += b[(i + k) * m + j] * j;
      }
    }
    for (int k = 0; k < size; ++k) {
      a[i + k] = sums[k];
    }
  }
}
