// FLAGS: -O2
// Nests that are executed in blocks of their inner loop, and others that have to stay as they are.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 53, M = 1999 }; // Rows for several threads and ranks, long enough for blocks.

void tell_blocks(void);

static void tell(const char *name, const void *data, size_t bytes) {
  const unsigned char *byte = data;
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ byte[i]) * 1099511628211u;
  printf("%s %06x\n", name, (unsigned)(hash >> 40));
}

static void fill(double *a, size_t n) {
  for (size_t i = 0; i < n; ++i) a[i] = (double)(i % 89) - 44.25 + (double)(i % 7) / 8;
}

static void five(double *b, const double *a, int n, int m) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j)
      b[i * m + j] = 0.25 * (a[i * m + j - 1] + a[i * m + j + 1] + a[(i - 1) * m + j] + a[(i + 1) * m + j]);
}

static void nine(int n, int m, double b[n][m], double a[n][m]) {
#pragma omp parallel for
  for (int i = n - 2; i >= 1; --i)
    for (int j = m - 2; j >= 1; --j)
      b[i][j] = a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] + a[i][j + 1] +
                a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1];
}

static void rows(double **b, double **a, size_t n, size_t m) {
#pragma omp parallel for
  for (size_t i = 1; i < n - 1; i += 2)
    for (size_t j = 2; j < m; j += 3) b[i][j] = a[i - 1][j] - a[i + 1][j] + a[i][j - 2];
}

static void backwards(float *b, const float *a, long n, long m) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i)
    for (long j = m - 1; j >= 0; j -= 3) b[i * m + j] = a[j * n + i];
}

static void written_columns(float *b, const float *a, unsigned n, unsigned m) {
#pragma omp parallel for
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < m; ++j) b[(size_t)j * n + i] = a[(size_t)i * m + j] * 2;
}

static void walked(double *b, const double *x, const double *y, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const double *at = x;
    for (double *p = b + (long)i * m, *end = p + m; p != end; ++p) *p = y[0] * *at++ + *p;
  }
}

static void product_by_dots(double *c, const double *a, const double *b, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}

static void product_by_rows(double *c, const double *a, const double *b, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i)
    for (long k = 0; k < n; ++k)
      for (long j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

static void planes(double *b, const double *a, long n, long m) {
#pragma omp parallel for
  for (long i = 1; i < n - 1; ++i)
    for (long j = 1; j < m - 1; ++j)
      for (long k = 1; k < m - 1; ++k) {
        const long at = (i * m + j) * m + k;
        b[at] = a[at] - a[at - 1] - a[at + 1] - a[at - m] - a[at + m] - a[at - m * m] - a[at + m * m];
      }
}

static void triangle(double *b, const double *x, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i * 30 && j < m; ++j) b[i * m + j] += x[j];
}

// Each iteration reads what it writes later: an iteration that begins anew would read something else.
static void firsts(double *a, const double *x, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const double first = a[i * m];
    for (int j = 0; j < m; ++j) a[i * m + j] = a[i * m + j] * 0.5 + first * x[j];
  }
}

static void privates(double *b, const double *x, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double last[4] = {i, 1, 2, 3};
    for (int j = 0; j < m; ++j) {
      b[i * m + j] = last[j % 4] + x[j];
      last[(j + i) % 4] = b[i * m + j] / 2;
    }
  }
}

static void prefixes(double *b, const double *x, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 1; j < m; ++j) b[i * m + j] = b[i * m + j - 1] / 2 + x[j];
}

static void some(double *b, const double *x, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (i % 3 == 1 || b[i * m] > 40)
      for (int j = 1; j < m; ++j) b[i * m + j] += x[j] * i;
}

static double sums(double *b, const double *x, int n, int m) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      b[i * m + j] += x[j];
      sum += (long)b[i * m + j];
    }
  return (double)sum;
}

static int lasts(double *b, const double *x, int n, int m) {
  int last = 0;
#pragma omp parallel for lastprivate(last)
  for (int i = 0; i < n; ++i) {
    last = i * 2;
    for (int j = 0; j < m; ++j) b[i * m + j] -= x[j];
  }
  return last;
}

static void scheduled(double *b, const double *x, int n, int m) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 5) nowait
    for (int i = 0; i < n / 2; ++i)
      for (int j = 0; j < m; ++j) b[i * m + j] += x[j];
#pragma omp for schedule(dynamic, 8)
    for (int i = n / 2; i < n; ++i)
      for (int j = 0; j < m; ++j) b[i * m + j] -= x[j];
#pragma omp for
    for (int i = 0; i < n; ++i) {
#pragma omp simd
      for (short j = 0; j < (short)m; ++j) b[i * m + j] *= 1 + x[j] / 128;
    }
  }
}

// Loops in front of the one that is divided are executed with its first block, those behind with its last.
static void scaled_product(double *c, const double *a, const double *b, long n, long m, double beta) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < m; ++j) c[i * m + j] *= beta;
    for (long k = 0; k < n; ++k)
      for (long j = 0; j < m; ++j) c[i * m + j] += a[i * n + k] * b[k * m + j];
  }
}

static void between(double *c, const double *a, double *d, int n, int m, int isTwice) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) c[i * m + j] -= a[j];
    if (i % 4 != 1)
      for (int j = 0; j < m / 2; ++j) c[i * m + j] += i;
    if (isTwice)
      for (int k = 0; k < n; ++k)
        for (int j = 0; j < m; ++j) c[i * m + j] = c[i * m + j] / 2 + a[k * m + j];
    for (int j = 0; j < m; ++j) {
      double sum = 0;
      for (int k = j; k < m && k < j + 3; ++k) sum += c[i * m + k];
      d[i * m + j] = sum / 4;
    }
    if (i % 3 == 0)
      for (int j = 0; j < m; ++j) c[i * m + j] = d[i * m + m - 1 - j];
  }
}

static double kept[N * M], square[160][160], matrix[160][90];

static void triangular_product(int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) square[i][j] *= 0.75;
    for (int k = 0; k < m; ++k)
      for (int j = 0; j <= i; ++j) square[i][j] += matrix[i][k] * matrix[j][k] / 64;
  }
}

// One iteration alone reads what it writes later; the compiler may have all of them load it.
static void chosen(const double *x, int n, int m, int pick) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const double first = i == pick ? kept[3 * M] : 0;
    for (int j = 0; j < m; ++j) kept[i * M + j] = first + x[j];
  }
}

// What a loop sums up is used by the next one.
static void weighed(double *b, const double *x, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double sum = 1;
    for (int j = 0; j < m; ++j) sum += x[j] * x[j] + i;
    for (int j = 0; j < m; ++j) b[i * m + j] += x[j] / sum;
  }
}

int main(void) {
  tell_blocks();
  double *a = malloc(sizeof(double) * N * M), *b = malloc(sizeof(double) * N * M);
  float *f = malloc(sizeof(float) * N * M), *g = malloc(sizeof(float) * N * M);
  double *c = malloc(sizeof(double) * M);
  double **ra = malloc(sizeof(double *) * N), **rb = malloc(sizeof(double *) * N);
  fill(a, N * M), fill(b, N * M), fill(c, M);
  for (int i = 0; i < N; ++i) ra[i] = a + i * M, rb[i] = b + i * M;
  for (int i = 0; i < N * M; ++i) f[i] = (float)(i % 1013), g[i] = 0;
#define TELL(name, call) call, tell(name, b, sizeof(double) * N * M)
  TELL("five", five(b, a, N, M));
  TELL("few", five(b, a, N, 5));
  TELL("empty", (five(b, a, N, 2), five(b, a, N, 0), five(b, a, N, -7), five(b, a, 2, M), five(b, a, -1, M)));
  TELL("nine", nine(N, M, (double(*)[M])b, (double(*)[M])a));
  TELL("rows", rows(rb, ra, N, M));
  TELL("walked", walked(b, c, a + 3, N, M));
  TELL("planes", planes(b, a, 21, 67));
  TELL("triangle", triangle(b, c, N, M));
  TELL("firsts", firsts(b, c, N, M));
  TELL("privates", privates(b, c, N, M));
  TELL("prefixes", prefixes(b, c, N, M));
  TELL("some", some(b, c, N, M));
  printf("%g\n", sums(b, c, N, M));
  printf("%d\n", lasts(b, c, N, M));
  TELL("scheduled", scheduled(b, c, N, M));
  TELL("dots", product_by_dots(b, a, a + 7, 151));
  TELL("product", product_by_rows(b, a, a + 7, 151));
  TELL("scaled", (scaled_product(b, a, a + 7, N, M, 0.5), scaled_product(b, a, a, N, 0, 2), scaled_product(b, a, a, 0, M, 2)));
  TELL("between", (between(b, c, a, N, 400, 0), between(b, a + 3, c, 40, 45, 1)));
  tell("between", c, sizeof(double) * M), tell("between", a, sizeof(double) * N * M);
  for (int i = 0; i < 160; ++i) fill(square[i], 160), fill(matrix[i], 90);
  triangular_product(160, 90), triangular_product(53, 31), triangular_product(160, 0);
  tell("triangular", square, sizeof square);
  fill(kept, N * M), chosen(c, N, M, 3), chosen(a, N, M / 2, 3), chosen(c, N, M, -1), tell("chosen", kept, sizeof kept);
  TELL("weighed", weighed(b, c, N, M));
  backwards(g, f, N, M), tell("backwards", g, sizeof(float) * N * M);
  backwards(g, f, N, 1), backwards(g, f, N, 0), tell("nothing", g, sizeof(float) * N * M);
  written_columns(g, f, N, M), tell("columns", g, sizeof(float) * N * M);
}
