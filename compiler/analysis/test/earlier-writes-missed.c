// Reads that the writes of the same iteration do not cover, or not provably: c is read.
// RUN: %tutticc -fno-vectorize -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s
#include <string.h>

// Each element is read before it is written.
// CHECK-LABEL: define internal void @read_first.omp_outlined.tutti.accesses(
// CHECK:         @tutti_access(ptr {{[^,]*}}, i32 {{1|3|5}},
// CHECK:       }
void read_first(long n, double *c) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) c[i * n + j] += j;
}

// The row is read before it is written.
// CHECK-LABEL: define internal void @written_afterwards.omp_outlined.tutti.accesses(
// CHECK:         @tutti_access(ptr {{[^,]*}}, i32 {{1|3|5}},
// CHECK:       }
void written_afterwards(long n, double *c, double *d) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    double sum = 0;
    for (long j = 0; j < n; j++) sum += c[i * n + j];
    for (long j = 0; j < n; j++) c[i * n + j] = 0;
    d[i] = sum;
  }
}

// m may be less than n.
// CHECK-LABEL: define internal void @fewer.omp_outlined.tutti.accesses(
// CHECK:         @tutti_access(ptr {{[^,]*}}, i32 {{1|3|5}},
// CHECK:       }
void fewer(long n, long m, double *c) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < m; j++) c[i * n + j] = 0;
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++) c[i * n + j] += k;
  }
}

// Reads one more than has been written.
// CHECK-LABEL: define internal void @one_too_far.omp_outlined.tutti.accesses(
// CHECK:         @tutti_access(ptr {{[^,]*}}, i32 {{1|3|5}},
// CHECK:       }
void one_too_far(long n, double *c, double *d) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++) c[i * (n + 1) + j] = i;
    double sum = 0;
    for (long j = 0; j < n; j++) sum += c[i * (n + 1) + j + 1];
    d[i] = sum;
  }
}

// Begins one in front of what has been written.
// CHECK-LABEL: define internal void @one_too_low.omp_outlined.tutti.accesses(
// CHECK:         @tutti_access(ptr {{[^,]*}}, i32 {{1|3|5}},
// CHECK:       }
void one_too_low(long n, double *c, double *d) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    for (long j = 1; j < n; j++) c[i * n + j] = i;
    double sum = 0;
    for (long j = 0; j < n; j++) sum += c[i * n + j];
    d[i] = sum;
  }
}

// All but the first have been written in the iteration before, which is not looked for.
// CHECK-LABEL: define internal void @previous_element.omp_outlined.tutti.accesses(
// CHECK:         @tutti_access(ptr {{[^,]*}}, i32 {{1|3|5}},
// CHECK:       }
void previous_element(long n, double *c) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++)
    for (long j = 1; j < n; j++) c[i * n + j] = c[i * n + j - 1] + 1;
}

// The read is not under the condition of the write.
// CHECK-LABEL: define internal void @under_a_condition.omp_outlined.tutti.accesses(
// CHECK:         @tutti_access(ptr {{[^,]*}}, i32 {{1|3|5}},
// CHECK:       }
void under_a_condition(long n, int wanted, double *c) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    if (wanted)
      for (long j = 0; j < n; j++) c[i * n + j] = 0;
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++) c[i * n + j] += k;
  }
}

// The read is under the opposite condition.
// CHECK-LABEL: define internal void @under_the_opposite.omp_outlined.tutti.accesses(
// CHECK:         @tutti_access(ptr {{[^,]*}}, i32 {{1|3|5}},
// CHECK:       }
void under_the_opposite(long n, int wanted, double *c, double *d) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    if (wanted)
      for (long j = 0; j < n; j++) c[i * n + j] = 0;
    d[i] = i;
    if (!wanted)
      for (long k = 0; k < n; k++)
        for (long j = 0; j < n; j++) c[i * n + j] += k;
  }
}

// Some elements may not be written; d is read, too.
// CHECK-LABEL: define internal void @depends_on_data.omp_outlined.tutti.accesses(
// CHECK-COUNT-2: @tutti_access(ptr {{[^,]*}}, i32 {{1|3|5}},
// CHECK:       }
void depends_on_data(long n, double *c, const double *d) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++)
      if (d[j] > 0) c[i * n + j] = 0;
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++) c[i * n + j] += k;
  }
}

// In some iterations of the loop around both the write is left out; d is read, too.
// CHECK-LABEL: define internal void @skipped.omp_outlined.tutti.accesses(
// CHECK-COUNT-2: @tutti_access(ptr {{[^,]*}}, i32 {{1|3|5}},
// CHECK:       }
void skipped(long n, const double *d, double *c, double *e) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    double sum = 0;
    for (long k = 0; k < n; k++) {
      if (d[k] > 0)
        for (long j = 0; j < n; j++) c[i * n + j] = k;
      for (long j = 0; j < n; j++) sum += c[i * n + j];
    }
    e[i] = sum;
  }
}

// The loop may end after the first element.
// CHECK-LABEL: define internal void @left_early.omp_outlined.tutti.accesses(
// CHECK:         @tutti_access(ptr {{[^,]*}}, i32 {{1|3|5}},
// CHECK:       }
void left_early(long n, const double *d, double *c) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++) {
      c[i * n + j] = 0;
      if (d[j] > 0) break;
    }
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++) c[i * n + j] += k;
  }
}

// If m is 0, nothing has been written.
// CHECK-LABEL: define internal void @no_iteration.omp_outlined.tutti.accesses(
// CHECK:         @tutti_access(ptr {{[^,]*}}, i32 {{1|3|5}},
// CHECK:       }
void no_iteration(long n, long m, double *c, double *d) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < m; j++) c[i * 8 + j] = 0;
    d[i] = c[i * 8];
  }
}

// Four bytes are written, eight are read.
// CHECK-LABEL: define internal void @wider.omp_outlined.tutti.accesses(
// CHECK:         @tutti_access(ptr {{[^,]*}}, i32 {{1|3|5}},
// CHECK:       }
void wider(long n, int *c, long *d) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++) c[2 * (i * n + j)] = i;
    long sum = 0;
    for (long j = 0; j < n; j++) {
      long both;
      memcpy(&both, c + 2 * (i * n + j), sizeof both);
      sum += both;
    }
    d[i] = sum;
  }
}

// Every other element is written, all are read.
// CHECK-LABEL: define internal void @gaps.omp_outlined.tutti.accesses(
// CHECK:         @tutti_access(ptr {{[^,]*}}, i32 {{1|3|5}},
// CHECK:       }
void gaps(long n, double *c) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++) c[2 * (i * n + j)] = 0;
    for (long k = 0; k < n; k++)
      for (long j = 0; j < 2 * n; j++) c[2 * i * n + j] += k;
  }
}

// Another row than the written one.
// CHECK-LABEL: define internal void @other_row.omp_outlined.tutti.accesses(
// CHECK:         @tutti_access(ptr {{[^,]*}}, i32 {{1|3|5}},
// CHECK:       }
void other_row(long n, double *c, double *d) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++) c[2 * i * n + j] = i;
    double sum = 0;
    for (long j = 0; j < n; j++) sum += c[(2 * i + 1) * n + j];
    d[i] = sum;
  }
}

// Nobody knows whether c is d.
// CHECK-LABEL: define internal void @other_array.omp_outlined.tutti.accesses(
// CHECK:         @tutti_access(ptr {{[^,]*}}, i32 {{1|3|5}},
// CHECK:       }
void other_array(long n, double *c, double *d, double *e) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++) c[i * n + j] = i;
    double sum = 0;
    for (long j = 0; j < n; j++) sum += d[i * n + j];
    e[i] = sum;
  }
}

// What has been written in the iteration before of a loop around both is not looked for.
// CHECK-LABEL: define internal void @other_rows_of_an_inner_loop.omp_outlined.tutti.accesses(
// CHECK:         @tutti_access(ptr {{[^,]*}}, i32 {{1|3|5}},
// CHECK:       }
void other_rows_of_an_inner_loop(long n, double *c, double *d) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    double sum = 0;
    for (long k = 1; k < n; k++) {
      for (long j = 0; j < n; j++) c[(i * n + k) * n + j] = j;
      for (long j = 0; j < n; j++) sum += c[(i * n + k - 1) * n + j];
    }
    d[i] = sum;
  }
}

// Of the rows more is read than has been written.
// CHECK-LABEL: define internal void @wider_box.omp_outlined.tutti.accesses(
// CHECK:         @tutti_access(ptr {{[^,]*}}, i32 {{1|3|5}},
// CHECK:       }
void wider_box(long n, long h, long w, long v, long pitch, double *c) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    for (long y = 0; y < h; y++)
      for (long x = 0; x < w; x++) c[(i * h + y) * pitch + x] = 0;
    for (long k = 0; k < n; k++)
      for (long y = 0; y < h; y++)
        for (long x = 0; x < v; x++) c[(i * h + y) * pitch + x] += k;
  }
}

// A triangle is written, a square is read.
// CHECK-LABEL: define internal void @triangle.omp_outlined.tutti.accesses(
// CHECK:         @tutti_access(ptr {{[^,]*}}, i32 {{1|3|5}},
// CHECK:       }
void triangle(long n, long h, double *c) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    for (long y = 0; y < h; y++)
      for (long x = 0; x <= y; x++) c[(i * h + y) * h + x] = 0;
    for (long k = 0; k < n; k++)
      for (long y = 0; y < h; y++)
        for (long x = 0; x < h; x++) c[(i * h + y) * h + x] += k;
  }
}
