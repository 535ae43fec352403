// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nests that are large enough for tiles on a device, with sizes that no tile divides, and with
// grids that make work-items execute many of them; and loops that LLVM would turn into calls of
// memset and memcpy.
#include <stdio.h>
#include <stdlib.h>

enum { kRows = 1027, kInner = 13, kColumns = 1031, kDepth = 3 };

static double left[kRows][kInner], right[kInner][kColumns], product[kRows][kColumns];
static float plate[kRows][kColumns], next[kRows][kColumns];
static double block[kDepth][kRows][kColumns], moved[kDepth][kRows][kColumns];

static double sum(const double *values, long count) {
  double result = 0;
  for (long i = 0; i < count; ++i) {
    result += values[i] * (double)(1 + i % 7);
  }
  return result;
}

// Two loops over columns, one of them in a sequential loop.
static void multiply(int rows, int columns, int inner) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      product[i][j] = 0.0;
    }
    for (int k = 0; k < inner; ++k) {
      for (int j = 0; j < columns; ++j) {
        product[i][j] += left[i][k] * right[k][j];
      }
    }
  }
}

// A product with a sum in a register.
static void multiplyAgain(double *to, int rows, int columns, int inner) {
#pragma tutti grid(3, 2)
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      double total = 1.0;
      for (int k = 0; k < inner; ++k) {
        total += left[i][k] * right[k][j];
      }
      to[(long)i * columns + j] = total;
    }
  }
}

// A stencil with two reductions.
static double relax(int *growing) {
  double change = 0.0;
  int count = 0;
#pragma omp parallel for reduction(+ : count) reduction(max : change)
  for (int i = 1; i < kRows - 1; ++i) {
    for (int j = 1; j < kColumns - 1; ++j) {
      next[i][j] = 0.25f * (plate[i - 1][j] + plate[i + 1][j] + plate[i][j - 1] + plate[i][j + 1]);
      const double difference = (double)next[i][j] - (double)plate[i][j];
      change = difference > change ? difference : change;
      count += difference > 0;
    }
  }
  *growing = count;
  return change;
}

static void shift(int depth) {
#pragma omp parallel for
  for (int i = 0; i < depth; ++i) {
    for (int j = 1; j < kRows - 1; ++j) {
      for (int k = 1; k < kColumns - 1; ++k) {
        moved[i][j][k] = block[i][j - 1][k] + 2 * block[i][j + 1][k] - block[i][j][k - 1];
      }
    }
  }
}

// Rows one after the other, all points of a row at once.
static void sweep(void) {
#pragma omp parallel for
  for (int i = 0; i < kDepth; ++i) {
    for (int j = 1; j < kRows; ++j) {
      for (int k = 0; k < kColumns; ++k) {
        block[i][j][k] = 0.5 * block[i][j - 1][k] + moved[i][j][k];
      }
    }
  }
}

static void idioms(long n, double *zeros, double *copy, const double *from) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    zeros[i] = 0.0;
  }
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    copy[i] = from[i];
  }
#pragma omp parallel for
  for (long i = 0; i < n / 10; ++i) {
    for (long j = 0; j < 10; ++j) {
      zeros[i * 10 + j] = -1.0;
    }
  }
}

int main(void) {
  for (int i = 0; i < kRows; ++i) {
    for (int k = 0; k < kInner; ++k) {
      left[i][k] = (i * 5 + k) % 11;
    }
    for (int j = 0; j < kColumns; ++j) {
      plate[i][j] = (float)((i * 7 + j * 3) % 19);
    }
  }
  for (int k = 0; k < kInner; ++k) {
    for (int j = 0; j < kColumns; ++j) {
      right[k][j] = (k + j * 3) % 13;
    }
  }
  for (int i = 0; i < kDepth; ++i) {
    for (int j = 0; j < kRows; ++j) {
      for (int k = 0; k < kColumns; ++k) {
        block[i][j][k] = (i + j * 2 + k * 3) % 17;
      }
    }
  }
  const long points = (long)kRows * kColumns;
  for (int cut = 0; cut < 3; ++cut) {
    multiply(kRows - cut, kColumns - 2 * cut, kInner - 6 * cut);
    printf("product %.3f\n", sum(product[0], points));
  }
  multiply(0, kColumns, kInner);
  multiply(kRows, 0, kInner);
  multiply(2, 3, 0);
  printf("product %.3f\n", sum(product[0], points));
  double *to = malloc((size_t)points * sizeof *to);
  multiplyAgain(to, kRows, kColumns, kInner);
  printf("product again %.3f\n", sum(to, points));
  for (int step = 0; step < 3; ++step) {
    int growing = 0;
    const double change = relax(&growing);
    printf("change %.6f, %d grow\n", change, growing);
    for (int i = 1; i < kRows - 1; ++i) {
      for (int j = 1; j < kColumns - 1; ++j) {
        plate[i][j] = next[i][j];
      }
    }
  }
  shift(kDepth);
  printf("moved %.3f\n", sum(moved[0][0], kDepth * points));
  sweep();
  printf("swept %.3f\n", sum(block[0][0], kDepth * points));
  double *zeros = malloc((size_t)points * sizeof *zeros);
  double *copy = malloc((size_t)points * sizeof *copy);
  idioms(points, zeros, copy, to);
  printf("idioms %.3f %.3f\n", sum(zeros, points), sum(copy, points));
  free(zeros);
  free(copy);
  free(to);
  return 0;
}
