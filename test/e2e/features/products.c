// Products of matrices: sizes that are no multiples of a tile or of a block, sums that begin with
// something, factors by row, and minima of sums; beside what a loop at home finds.
#include <stdio.h>
#include <stdlib.h>

static void product(int n, int m, int depth, const double *restrict a, const double *restrict b,
                    double *restrict c) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) {
      double sum = 0;
      for (int k = 0; k < depth; ++k) {
        sum += a[(size_t)i * depth + k] * b[(size_t)k * m + j];
      }
      c[(size_t)i * m + j] = sum;
    }
  }
}

static void rows(int n, int m, int depth, const float *restrict a, const float *restrict b,
                 float *restrict c) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) {
      float sum = 1;
      for (int k = 3; k < depth; ++k) {
        sum += a[(size_t)i * depth + k] * b[(size_t)j * depth + k];
      }
      c[(size_t)i * m + j] = sum;
    }
  }
}

static void shortest(int n, int m, int depth, const int *restrict a, const int *restrict b,
                     int *restrict c) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) {
      int least = 1 << 30;
      for (int k = 0; k < depth; ++k) {
        const int sum = a[(size_t)i * depth + k] + b[(size_t)k * m + j];
        least = sum < least ? sum : least;
      }
      c[(size_t)i * m + j] = least;
    }
  }
}

static void run(int n, int m, int depth) {
  const size_t left = (size_t)n * depth, right = (size_t)m * depth, all = (size_t)n * m;
  double *a = malloc(left * sizeof *a), *b = malloc(right * sizeof *b),
         *c = malloc(all * sizeof *c);
  float *fa = malloc(left * sizeof *fa), *fb = malloc(right * sizeof *fb),
        *fc = malloc(all * sizeof *fc);
  int *ia = malloc(left * sizeof *ia), *ib = malloc(right * sizeof *ib),
      *ic = malloc(all * sizeof *ic);
  for (size_t i = 0; i < left; ++i) {
    a[i] = (double)((i * 7 + i / 3) % 13) - 6;
    fa[i] = (float)(i * 5 % 7);
    ia[i] = (int)(i * 31 % 1009);
  }
  for (size_t i = 0; i < right; ++i) {
    b[i] = (double)((i * 11 + i / 5) % 17) - 8;
    fb[i] = (float)(i * 3 % 5);
    ib[i] = (int)(i * 17 % 997);
  }
  product(n, m, depth, a, b, c);
  rows(n, m, depth, fa, fb, fc);
  shortest(n, m, depth, ia, ib, ic);
  double sum = 0, floats = 0, integers = 0;
  for (size_t i = 0; i < all; ++i) {
    sum += c[i] * (double)(i % 7);
    floats += fc[i] * (double)(i % 11);
    integers += ic[i] * (double)(i % 3);
  }
  printf("%d x %d, %d deep: %.17g %.17g %.17g\n", n, m, depth, sum, floats, integers);
  free(a), free(b), free(c), free(fa), free(fb), free(fc), free(ia), free(ib), free(ic);
}

int main(void) {
  run(1024, 768, 64);
  run(1000, 1100, 33);
  run(769, 1024, 31);
  run(901, 800, 32);
  run(1200, 700, 1);
  run(800, 801, 97);
  run(3, 5, 40);
  return 0;
}
