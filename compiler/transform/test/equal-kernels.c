// Regions whose kernels are equal but for their names share those of the first one. Kernels that
// differ in more that does not matter are translated once, though each region has a text of its own.
// RUN: env TUTTI_TARGETS=ptx %tutticc -S -o %t.s -ftime-report %s > %t.report 2>&1
// RUN: FileCheck %s < %t.s
// Each translation has passes of its own.
// RUN: grep -c "Lower ctors and dtors for NVPTX" %t.report | FileCheck %s --check-prefix=COUNT
// COUNT: {{^}}3{{$}}
// RUN: env TUTTI_TARGETS=opencl %tutticc -S -o %t.s %s
// RUN: FileCheck %s --check-prefix=OPENCL < %t.s
// OPENCL-COUNT-8: __kernel void
// OPENCL-NOT: __kernel void

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
// CHECK: both.omp_outlined.loop0.tutti.region:
// CHECK: .quad .Lboth.omp_outlined.loop0.device
// CHECK: both.omp_outlined.loop1.tutti.region:
// CHECK: .quad .Lboth.omp_outlined.loop0.device

// As the first two, but not in the number of what they capture.
void other(long n, double *restrict a, const double *restrict b) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    a[i] = 2 * b[i];
  }
}

// Kernels with sums are kept by each region, but translated once.
double sums(long n, const double *b, const double *c) {
  double first = 0;
  double second = 0;
#pragma omp parallel for reduction(+ : first)
  for (long i = 0; i < n; ++i) {
    first += b[i];
  }
#pragma omp parallel for reduction(+ : second)
  for (long i = 0; i < n; ++i) {
    second += c[i];
  }
  return first * second;
}
// CHECK: .visible .entry tutti_sums_omp_outlined_flat(
// CHECK: .visible .entry tutti_sums_omp_outlined_1_flat(
