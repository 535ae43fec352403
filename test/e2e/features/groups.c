// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Iterations that a work-group executes together: what they read and write outside of their inner
// loops is touched by these as well. With extents that no group divides, with few and no
// iterations, with small grids, and so short that each work-item executes whole iterations.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRows = 90, kMost = 700 };

static double square[kMost * kMost];
static double table[kRows][kMost];
static int numbers[kRows * kMost];

static void fill(long n) {
  for (long q = 0; q < n; ++q) {
    square[q] = (double)((q * 7919 + 13) % 1009) / 8;
  }
}

static double sum(const double *values, long n) {
  double total = 0;
  for (long q = 0; q < n; ++q) {
    total += values[q] * (double)(1 + q % 5);
  }
  return total;
}

// The column that is read is one of those that are written; so is the row.
static void paths(double *d, long n) {
  for (long k = 0; k < n; ++k) {
#pragma omp parallel for
    for (long i = 0; i < n; ++i) {
      const double first = d[i * n + k];
      for (long j = 0; j < n; ++j) {
        const double there = first + d[k * n + j];
        d[i * n + j] = there < d[i * n + j] ? there : d[i * n + j];
      }
    }
  }
}

// The same with counters that are extended, and with rows from the last one.
static void pathsOfInts(double *d, int n) {
  for (int k = n - 1; k >= 0; --k) {
#pragma tutti grid(3) block(20)
#pragma omp parallel for schedule(static, 3)
    for (int i = 0; i < n; ++i) {
      const double first = d[i * n + k];
      for (int j = n - 1; j >= 0; --j) {
        const double there = first + d[k * n + j];
        if (there < d[i * n + j]) {
          d[i * n + j] = there;
        }
      }
    }
  }
}

// All rows but one, whose factors stay where the column was.
static void jordan(double *a, long n, long steps) {
  for (long k = 0; k < steps; ++k) {
#pragma omp parallel for
    for (long i = 0; i < n; ++i) {
      if (i != k) {
        const double factor = a[i * n + k] / (a[k * n + k] + 1000);
        a[i * n + k] = factor;
        for (long j = k + 1; j < n; ++j) {
          a[i * n + j] -= factor * a[k * n + j];
        }
      }
    }
  }
}

// A row is divided by its first element, and by what came of its last one.
static void scale(double (*rows)[kMost], int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const double first = rows[i][0] + 1;
    for (int j = 0; j < m; ++j) {
      rows[i][j] /= first;
    }
    const double last = rows[i][m - 1] + 2;
    for (int j = 1; j < m; ++j) {
      rows[i][j] = rows[i][j] * last + first;
    }
    rows[i][0] = last;
  }
}

// Inner loops that differ from row to row, in a loop that all work-items execute; a private array.
static void eliminate(double (*rows)[kMost], int n, int m) {
#pragma omp parallel for schedule(dynamic, 2)
  for (int i = 0; i < n; ++i) {
    double factors[4];
    for (int k = 0; k < 4; ++k) {
      factors[k] = rows[i][k * 3] / (k + 2);
    }
    for (int k = 0; k < m / 3; ++k) {
      const double pivot = rows[i][k] + factors[k % 4];
      for (int j = k + 1 + i; j < m; ++j) {
        rows[i][j] -= pivot / (j + 1);
      }
      rows[i][k] = pivot / 2;
      if (pivot > 40) {
        rows[i][m - 1] += 1;
      }
    }
  }
}

// Whole numbers; the group's condition is what the loop before has written.
static void mark(int *all, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int *row = all + i * m;
    for (int j = 0; j < m; ++j) {
      row[j] = row[j] * 3 + i;
    }
    if (row[m / 2] % 2 != 0) {
      const int middle = row[m / 2];
      for (int j = 0; j < m; ++j) {
        row[j] ^= middle;
      }
    } else {
      row[m / 2] = i;
    }
  }
}

// Not to be divided: an iteration needs the one before, or what comes last is used behind it.
static void carried(double (*rows)[kMost], int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const double first = rows[i][0];
    for (int j = 1; j < m; ++j) {
      rows[i][j] = (rows[i][j] + rows[i][j - 1]) / 2 + first;
    }
    double left = first;
    for (int j = 0; j < m; ++j) {
      left = rows[i][j];
      rows[i][j] = left + 1;
      if (left > 1e6) {
        break;
      }
    }
    rows[i][1] = left;
  }
}

int main(void) {
  const int sizes[] = {1, 31, 32, 33, 100, 257};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
    const int n = sizes[s];
    fill((long)n * n);
    paths(square, n);
    const double there = sum(square, (long)n * n);
    fill((long)n * n);
    pathsOfInts(square, n);
    printf("%d: %.10g %.10g", n, there, sum(square, (long)n * n));
    fill((long)n * n);
    jordan(square, n, n < 20 ? n : 20);
    printf(" %.10g\n", sum(square, (long)n * n));
  }
  for (long q = 0; q < kRows * kMost; ++q) {
    table[q / kMost][q % kMost] = (double)((q * 31 + 7) % 97) / 4;
    numbers[q] = (int)((q * 131 + 71) % 1021);
  }
  for (int m = kMost; m > 12; m = m / 2 - 5) {
    scale(table, kRows, m);
    scale(table, 3, m);
    scale(table, 0, m);
    eliminate(table, kRows, m);
    mark(numbers, kRows, m);
    carried(table, kRows / 2, m);
    long count = 0;
    for (int q = 0; q < kRows * m; ++q) {
      count += numbers[q] % 1000 * (q % 3);
    }
    printf("%d: %.10g %ld\n", m, sum(table[0], kRows * kMost), count);
  }
  return 0;
}
