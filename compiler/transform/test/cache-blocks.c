// A chunk's loop has a second form, in blocks of the loop inside of it, where iterations share what
// they touch: rows of a stencil, what all of them read, lines of columns.
// RUN: %tutticc -fno-vectorize -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s

// Four lines of 8 bytes for each column; the block's loop ends at its size or at the row's end.
// CHECK-LABEL: define internal void @sweep.omp_outlined.tutti.chunk(
// CHECK:         %[[SIZE:.*]] = call i64 @tutti_cache_block(ptr {{.*}}, i64 %[[TRIP:[0-9]+]], i64 32, i64 256, i64 0)
// CHECK-NEXT:    %[[ALL:.*]] = icmp eq i64 %[[SIZE]], 0
// CHECK-NEXT:    br i1 %[[ALL]],
// CHECK:         call i64 @llvm.umin.i64(i64 %[[SIZE]],
// CHECK:         icmp ult i64 %{{.*}}, %[[TRIP]]
// CHECK:       }
void sweep(int n, int m, double *restrict b, const double *restrict a) {
  #pragma omp parallel for
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++) b[i * m + j] = a[(i - 1) * m + j] + a[(i + 1) * m + j] + a[i * m + j - 1];
}

// Rows behind pointers.
// CHECK-LABEL: define internal void @rows.omp_outlined.tutti.chunk(
// CHECK:         call i64 @tutti_cache_block(ptr {{.*}}, i64 %{{.*}}, i64 32, i64 256, i64 0)
// CHECK:       }
void rows(int n, int m, double **b, double **a) {
  #pragma omp parallel for
  for (int i = 1; i < n - 1; i++)
    for (int j = 0; j < m; j++) b[i][j] = a[i - 1][j] + a[i + 1][j];
}

// A row that begins with the branch around its loop, and ends at a pointer.
// CHECK-LABEL: define internal void @walked.omp_outlined.tutti.chunk(
// CHECK:         call i64 @tutti_cache_block(ptr {{.*}}, i64 %{{.*}}, i64 16, i64 128, i64 0)
// CHECK:       }
void walked(int n, int m, double *b, const double *x) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const double *at = x;
    for (double *p = b + (long)i * m, *end = p + m; p != end; p++) *p += *at++;
  }
}

// A line and a number for each iteration.
// CHECK-LABEL: define internal void @transpose.omp_outlined.tutti.chunk(
// CHECK:         call i64 @tutti_cache_block(ptr {{.*}}, i64 %{{.*}}, i64 72, i64 64, i64 %{{.*}})
// CHECK:       }
void transpose(int n, int m, double *b, const double *a) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) b[i * m + j] = a[j * n + i];
}

// A row of b for each iteration of the second loop; what the innermost one sums stays in it.
// CHECK-LABEL: define internal void @product.omp_outlined.tutti.chunk(
// CHECK:         call i64 @tutti_cache_block(
// CHECK:       }
void product(long n, double *c, const double *a, const double *b) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// CHECK-LABEL: define internal void @planes.omp_outlined.tutti.chunk(
// CHECK:         call i64 @tutti_cache_block(
// CHECK:       }
void planes(long n, double *b, const double *a) {
  #pragma omp parallel for
  for (long i = 1; i < n - 1; i++)
    for (long j = 1; j < n - 1; j++)
      for (long k = 1; k < n - 1; k++)
        b[(i * n + j) * n + k] = a[((i - 1) * n + j) * n + k] + a[((i + 1) * n + j) * n + k] +
                                 a[(i * n + j - 1) * n + k] + a[(i * n + j + 1) * n + k];
}

// Another loop in front is executed with the first block, one behind with the last.
// CHECK-LABEL: define internal void @several.omp_outlined.tutti.chunk(
// CHECK:         call i64 @tutti_cache_block(
// CHECK:         %[[LEFT:.*]] = sub i64 %[[TRIP:[0-9]+]], %[[DONE:[0-9]+]]
// CHECK-NEXT:    call i64 @llvm.umin.i64(i64 %{{.*}}, i64 %[[LEFT]])
// CHECK-NEXT:    icmp eq i64 %[[DONE]], 0
// CHECK:         icmp eq i64 %{{.*}}, %[[TRIP]]
// CHECK:       }
void several(long n, long m, double *c, const double *a, const double *b, double *d) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < m; j++) c[i * m + j] *= 2;
    for (long k = 0; k < n; k++)
      for (long j = 0; j < m; j++) c[i * m + j] += a[i * n + k] * b[k * m + j];
    for (long j = 0; j < m; j++) d[i * m + j] = c[i * m + j] / 2;
  }
}

// Loops in a triangle, which grow with the iterations.
// CHECK-LABEL: define internal void @grows.omp_outlined.tutti.chunk(
// CHECK:         call i64 @tutti_cache_block(
// CHECK:       }
double square[900][900], matrix[900][700];
void grows(int n, int m) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) square[i][j] *= 2;
    for (int k = 0; k < m; k++)
      for (int j = 0; j <= i; j++) square[i][j] += matrix[i][k] * matrix[j][k];
  }
}

// What follows stays as it is: nothing that one iteration touches is used by another one,
// CHECK-LABEL: define internal void @alone.omp_outlined.tutti.chunk(
// CHECK-NOT:     tutti_cache_block
void alone(int n, int m, double *b, const double *a) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) b[i * m + j] = a[i * m + j];
}

// the inner loop is shorter in some iterations,
// CHECK-LABEL: define internal void @triangle.omp_outlined.tutti.chunk(
// CHECK-NOT:     tutti_cache_block
void triangle(int n, int m, double *b, const double *x) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) b[i * m + j] += x[j];
}

// a sum goes from iteration to iteration, of the first loop or of the second one,
// CHECK-LABEL: define internal void @norm.omp_outlined.tutti.chunk(
// CHECK-NOT:     tutti_cache_block
double norm(int n, int m, double *b, const double *x) {
  double sum = 0;
  #pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) sum += b[i * m + j] = x[j];
  return sum;
}

// CHECK-LABEL: define internal void @dots.omp_outlined.tutti.chunk(
// CHECK-NOT:     tutti_cache_block
void dots(int n, int m, double *y, const double *a, const double *x) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < m; j++) sum += a[i * m + j] * x[j];
    y[i] = sum;
  }
}

// an iteration keeps something in memory of its thread,
// CHECK-LABEL: define internal void @kept.omp_outlined.tutti.chunk(
// CHECK-NOT:     tutti_cache_block
void kept(int n, int m, double *b, const double *x) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double last[4] = {i, 1, 2, 3};
    for (int j = 0; j < m; j++) {
      b[i * m + j] = last[j % 4] + x[j];
      last[(j + i) % 4] = b[i * m + j];
    }
  }
}

// or reads first what it may write later,
// CHECK-LABEL: define internal void @first.omp_outlined.tutti.chunk(
// CHECK-NOT:     tutti_cache_block
void first(int n, int m, double *b, const double *x) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const double factor = b[i * m];
    for (int j = 0; j < m; j++) b[i * m + j] += factor * x[j];
  }
}

// also where one iteration alone does, though all load it,
// CHECK-LABEL: define internal void @chosen.omp_outlined.tutti.chunk(
// CHECK-NOT:     tutti_cache_block
void chosen(int n, int m, const double *x, int pick) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const double first = i == pick ? square[3][0] : 0;
    for (int j = 0; j < m; j++) square[i][j] = first + x[j];
  }
}

// a loop sums up what the next one uses,
// CHECK-LABEL: define internal void @weighed.omp_outlined.tutti.chunk(
// CHECK-NOT:     tutti_cache_block
void weighed(long n, long m, double *b, const double *x) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    double sum = 0;
    for (long j = 0; j < m; j++) sum += x[j] + i;
    for (long j = 0; j < m; j++) b[i * m + j] += x[j] / sum;
  }
}

// and where pieces are so small that the program may count on their order.
// CHECK-LABEL: define internal void @pieces.omp_outlined.tutti.chunk(
// CHECK-NOT:     tutti_cache_block
// CHECK-LABEL: define internal void @pieces.omp_outlined.tutti.gather(
void pieces(int n, int m, double *b, const double *x) {
  #pragma omp parallel for schedule(static, 8)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) b[i * m + j] += x[j];
}

// A function of which nothing is known but that it only computes would be called for each block.
// CHECK-LABEL: define internal void @beside.omp_outlined.tutti.chunk(
// CHECK-NOT:     tutti_cache_block
// CHECK-LABEL: define internal void @beside.omp_outlined.tutti.gather(
__attribute__((const)) double weigh(long i);
void beside(long n, long m, double *b, const double *a) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    const double weight = weigh(i);
    for (long j = 0; j < m; j++) b[j * n + i] = a[i * m + j] * weight;
  }
}
