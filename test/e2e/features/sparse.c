// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Sparse matrices in rows: inner loops whose bounds and columns are looked up, with int and long
/// indices, empty rows, arrays that are longer than what is used, and vectors that change in
/// between.
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 900, SPARE = 5000 };

typedef struct {
  int rows;
  int *start;
  int *column;
  double *value;
} Matrix;

/// Entries of a row: none in the first, the last, and every fifth.
static int entriesOf(int row) {
  return row == 0 || row == ROWS - 1 || row % 5 == 3 ? 0 : row % 7 + 1;
}

static Matrix makeMatrix(void) {
  Matrix matrix = {ROWS, malloc((ROWS + 1) * sizeof(int)), NULL, NULL};
  matrix.start[0] = 0;
  for (int i = 0; i < ROWS; ++i) {
    matrix.start[i + 1] = matrix.start[i] + entriesOf(i);
  }
  const int entries = matrix.start[ROWS];
  matrix.column = malloc((size_t)(entries + SPARE) * sizeof(int));
  matrix.value = malloc((size_t)(entries + SPARE) * sizeof(double));
  for (int k = 0; k < entries; ++k) {
    matrix.column[k] = k == 0 ? ROWS - 1 : k == entries - 1 ? 0 : (k * 617 + 5) % ROWS;
    matrix.value[k] = 1.0 / (k % 13 + 8);
  }
  return matrix;
}

static void multiply(int rows, const int *start, const int *column, const double *value,
                     const double *x, double *y) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    double sum = 0.0;
    for (int k = start[i]; k < start[i + 1]; ++k) {
      sum += value[k] * x[column[k]];
    }
    y[i] = sum;
  }
}

static void multiplyLong(long rows, const long *start, const long *column, const double *value,
                         const double *x, double *y) {
#pragma omp parallel for schedule(dynamic, 16)
  for (long i = 0; i < rows; ++i) {
    y[i] = 0.0;
    for (long k = start[i]; k < start[i + 1]; ++k) {
      y[i] += value[k] * x[column[k]];
    }
  }
}

static void multiplyMatrix(const Matrix *matrix, const double *x, double *y) {
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < matrix->rows; ++i) {
    double sum = 0.0;
    for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
      sum += matrix->value[k] * x[matrix->column[k]];
    }
    y[i] = sum;
  }
}

/// x' A x
static double form(const Matrix *matrix, const double *x) {
  double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < matrix->rows; ++i) {
    for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
      sum += x[i] * matrix->value[k] * x[matrix->column[k]];
    }
  }
  return sum;
}

/// The level below which a vertex is found: stops at the first neighbour that has it.
static int spread(const Matrix *matrix, const int *level, int *next, int depth) {
  int found = 0;
#pragma omp parallel for reduction(+ : found)
  for (int i = 0; i < matrix->rows; ++i) {
    next[i] = level[i];
    if (level[i] < 0) {
      for (int k = matrix->start[i]; k < matrix->start[i + 1]; ++k) {
        if (level[matrix->column[k]] == depth) {
          next[i] = depth + 1;
          ++found;
          break;
        }
      }
    }
  }
  return found;
}

/// Rows of the first half only read x; a condition on the counter.
static void upperHalf(const Matrix *matrix, const double *x, double *y) {
  const int half = matrix->rows / 2;
#pragma omp parallel for
  for (int i = 0; i < matrix->rows; ++i) {
    if (i >= half) {
      y[i] = x[matrix->column[i]];
    }
  }
}

static double sumOf(const double *values) {
  double sum = 0.0;
  for (int i = 0; i < ROWS; ++i) {
    sum += values[i] * (i % 9 + 1);
  }
  return sum;
}

int main(void) {
  Matrix matrix = makeMatrix();
  const int entries = matrix.start[ROWS];
  double *x = malloc(ROWS * sizeof *x);
  double *y = malloc(ROWS * sizeof *y);
  for (int i = 0; i < ROWS; ++i) {
    x[i] = 1.0 + i % 3;
  }
  for (int step = 0; step < 6; ++step) {
    multiply(matrix.rows, matrix.start, matrix.column, matrix.value, x, y);
    if (step % 2 == 0) {
#pragma omp parallel for
      for (int i = 0; i < ROWS; ++i) {
        x[i] = 0.5 * x[i] + y[i];
      }
    } else {
      x[step] += 3.0; // One element, by sequential code.
    }
    printf("int %.9f\n", sumOf(y));
  }

  long *start = malloc((ROWS + 1) * sizeof *start);
  long *column = malloc((size_t)entries * sizeof *column);
  for (int i = 0; i <= ROWS; ++i) {
    start[i] = matrix.start[i];
  }
  for (int k = 0; k < entries; ++k) {
    column[k] = matrix.column[k];
  }
  for (int step = 0; step < 3; ++step) {
    multiplyLong(ROWS, start, column, matrix.value, x, y);
    printf("long %.9f\n", sumOf(y));
    double *swap = x;
    x = y;
    y = swap;
  }
  for (int i = 0; i < ROWS; ++i) {
    x[i] = 1.0 / (i + 1);
  }
  for (int step = 0; step < 3; ++step) {
    multiplyMatrix(&matrix, x, y);
    printf("matrix %.9f, form %.9f\n", sumOf(y), form(&matrix, x));
    upperHalf(&matrix, x, y);
    printf("half %.9f\n", sumOf(y));
    matrix.value[step] = -1.0;
    matrix.column[entries - 1 - step] = ROWS - 1;
  }

  int *level = malloc(ROWS * sizeof *level);
  int *next = malloc(ROWS * sizeof *next);
  for (int i = 0; i < ROWS; ++i) {
    level[i] = i == 7 ? 0 : -1;
  }
  for (int depth = 0; depth < 12; ++depth) {
    printf("level %d: %d\n", depth, spread(&matrix, level, next, depth));
    int *swap = level;
    level = next;
    next = swap;
  }
  free(matrix.start);
  free(matrix.column);
  free(matrix.value);
  free(x);
  free(y);
  free(start);
  free(column);
  free(level);
  free(next);
  return 0;
}
