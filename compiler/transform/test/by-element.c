// A condition on the inner index of a collapsed nest is known in single iterations only, and the region says
// that there are as many of these as elements (2048); a triangle has loops of its own in each iteration.
// RUN: %tutticc -O2 -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s

// CHECK-DAG: @shift.omp_outlined.tutti.region = internal constant %struct.tutti_region { i32 {{[0-9]+}}, i32 6149,
void shift(int n, double (*restrict a)[n], double (*restrict b)[n]) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (j > 0) {
        b[i][j] = a[i][j - 1];
      }
    }
  }
}

// CHECK-DAG: @triangle.omp_outlined.tutti.region = internal constant %struct.tutti_region { i32 {{[0-9]+}}, i32 4101,
void triangle(long n, double (*restrict a)[n], double (*restrict b)[n]) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < i; ++j) {
      b[i][j] = a[i][j];
    }
  }
}
