// What an iteration has written itself is not read from what was there before: no record of these
// loops reads (flags 1, or 5 if it may be less).
// RUN: %tutticc -fno-vectorize -S -emit-llvm -o - %s 2>/dev/null | \
// RUN:   FileCheck --implicit-check-not "@tutti_access(ptr {{[^,]*}}, i32 {{1|3|5}}," %s
#include <string.h>

// Each row is written before it is added to.
// CHECK-LABEL: define internal void @rows.omp_outlined.tutti.accesses(
// CHECK:         @tutti_access(ptr {{[^,]*}}, i32 2,
// CHECK:       }
void rows(long n, double *c) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++) c[i * n + j] = 0;
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++) c[i * n + j] += k;
  }
}

// If there are no columns, neither loop runs.
// CHECK-LABEL: define internal void @guarded.omp_outlined.tutti.accesses(
// CHECK:         @tutti_access(ptr {{[^,]*}}, i32 2,
// CHECK:       }
void guarded(long n, long m, double *c) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < m; j++) c[i * m + j] = 0;
    for (long k = 0; k < n; k++)
      for (long j = 0; j < m; j++) c[i * m + j] += k;
  }
}

// The read has the condition of the write.
// CHECK-LABEL: define internal void @both_under_one_condition.omp_outlined.tutti.accesses(
// CHECK:         @tutti_access(ptr {{[^,]*}}, i32 2,
// CHECK:       }
void both_under_one_condition(long n, int wanted, double *c, double *d) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    if (wanted)
      for (long j = 0; j < n; j++) c[i * n + j] = 0;
    d[i] = i;
    if (wanted)
      for (long k = 0; k < n; k++)
        for (long j = 0; j < n; j++) c[i * n + j] += k;
  }
}

// Less is read than has been written.
// CHECK-LABEL: define internal void @part_of_a_row.omp_outlined.tutti.accesses(
// CHECK:         @tutti_access(ptr {{[^,]*}}, i32 2,
// CHECK:       }
void part_of_a_row(long n, double *c) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++) c[i * n + j] = 0;
    for (long k = 0; k < n; k++)
      for (long j = 1; j < n - 1; j++) c[i * n + j] += k;
  }
}

// Part of the rows, and of the columns.
// CHECK-LABEL: define internal void @part_of_a_box.omp_outlined.tutti.accesses(
// CHECK:         @tutti_access(ptr {{[^,]*}}, i32 2,
// CHECK:       }
void part_of_a_box(long n, long h, long w, long pitch, double *c) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    for (long y = 0; y < h; y++)
      for (long x = 0; x < w; x++) c[(i * h + y) * pitch + x] = 0;
    for (long k = 0; k < n; k++)
      for (long y = 2; y < h; y++)
        for (long x = 0; x < w - 3; x++) c[(i * h + y) * pitch + x + 3] += k;
  }
}

// Written as a block of bytes.
// CHECK-LABEL: define internal void @block.omp_outlined.tutti.accesses(
// CHECK:         @tutti_access(ptr {{[^,]*}}, i32 2,
// CHECK:       }
void block(long n, double *c) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    memset(c + i * n, 0, n * sizeof *c);
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++) c[i * n + j] += k;
  }
}

// In the other order.
// CHECK-LABEL: define internal void @backwards.omp_outlined.tutti.accesses(
// CHECK:         @tutti_access(ptr {{[^,]*}}, i32 2,
// CHECK:       }
void backwards(long n, double *c) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    for (long j = n - 1; j >= 0; j--) c[i * n + j] = 0;
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++) c[i * n + j] += k;
  }
}

// Both in one iteration of a loop around them; every other element.
// CHECK-LABEL: define internal void @inside_of_another_loop.omp_outlined.tutti.accesses(
// CHECK:         @tutti_access(ptr {{[^,]*}}, i32 2,
// CHECK:       }
void inside_of_another_loop(long n, long tiles, long w, double *c) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++)
    for (long t = 0; t < tiles; t++) {
      for (long j = 0; j < w; j += 2) c[(i * tiles + t) * w + j] = 0;
      for (long k = 0; k < n; k++)
        for (long j = 0; j < w; j += 2) c[(i * tiles + t) * w + j] += k;
    }
}

// Half of each element is read.
// CHECK-LABEL: define internal void @half.omp_outlined.tutti.accesses(
// CHECK:         @tutti_access(ptr {{[^,]*}}, i32 2,
// CHECK:       }
void half(long n, long *c, int *d) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++) c[i * n + j] = j;
    int sum = 0;
    for (long j = 0; j < n; j++) {
      int upper;
      memcpy(&upper, (const char *)(c + i * n + j) + 4, sizeof upper);
      sum += upper;
    }
    d[i] = sum;
  }
}

// Both address c in 32 bits without sign. The read is dropped, but not the question whether its
// addresses wrap around.
// CHECK-LABEL: define internal void @wrapping.omp_outlined.tutti.accesses(
// CHECK:         %[[WRITES:.*]] = select i1 %{{.*}}, i32 2, i32 16
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 %[[WRITES]],
// CHECK:         %[[NOTHING:.*]] = select i1 %{{.*}}, i32 0, i32 16
// CHECK:         call void @tutti_access(ptr {{.*}}, i32 %[[NOTHING]],
// CHECK:       }
void wrapping(unsigned n, double *c) {
  #pragma omp parallel for
  for (unsigned i = 0; i < n; i++) {
    for (unsigned j = 0; j < n; j++) c[i * n + j] = 0;
    for (unsigned k = 0; k < n; k++)
      for (unsigned j = 0; j < n; j++) c[i * n + j] += k;
  }
}
