// Kernels that are equal but for their names and for which variables they use are translated once,
// though each region has a text of its own.
// RUN: env TUTTI_TARGETS=ptx %tutticc -S -o %t.s -ftime-report %s > %t.report 2>&1
// RUN: FileCheck %s < %t.s
// Each translation has passes of its own.
// RUN: grep -c "Lower ctors and dtors for NVPTX" %t.report | FileCheck %s --check-prefix=COUNT
// COUNT: {{^}}2{{$}}
// CHECK: .visible .entry tutti_both_omp_outlined_loop0_flat(
// CHECK: .visible .entry tutti_both_omp_outlined_loop1_flat(
// CHECK: .visible .entry tutti_other_omp_outlined_flat(

void both(long n, double *restrict a, const double *restrict b, double *restrict c,
          const double *restrict d) {
#pragma omp parallel
  {
#pragma omp for
    for (long i = 0; i < n; ++i) {
      a[i] = 2 * b[i];
    }
#pragma omp for
    for (long j = 0; j < n; ++j) {
      c[j] = 2 * d[j];
    }
  }
}

void other(long n, double *restrict a, const double *restrict b) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    a[i] = 3 * b[i];
  }
}
