// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A stencil between target data constructs and updates, with functions and variables declared for
/// the target, members of structures, and pointers to device memory.
#include <stdio.h>
#include <stdlib.h>

#pragma omp declare target
double weights[3] = {0.25, 0.5, 0.25};
static double scale = 1.0;

static double blend(double a, double b, double c) {
  return scale * (weights[0] * a + weights[1] * b + weights[2] * c);
}

#pragma omp end declare target

typedef struct {
  int rows;
  int columns;
  double *now;
  double *next;
} Field;

static void step(Field *field) {
  const int rows = field->rows;
  const int columns = field->columns;
  const double *now = field->now;
  double *next = field->next;
#pragma omp target teams distribute parallel for collapse(2)
  for (int i = 1; i < rows - 1; ++i) {
    for (int j = 1; j < columns - 1; ++j) {
      const double side =
          blend(now[i * columns + j - 1], now[i * columns + j], now[i * columns + j + 1]);
      const double across =
          blend(now[(i - 1) * columns + j], now[i * columns + j], now[(i + 1) * columns + j]);
      next[i * columns + j] = 0.5 * (side + across);
    }
  }
  field->now = next;
  field->next = (double *)now;
}

static void initialise(Field *field) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < field->rows * field->columns; ++i) {
    field->now[i] = i % 17;
    field->next[i] = i % 17;
  }
}

int main(void) {
  const int rows = 61;
  const int columns = 47;
  const int size = rows * columns;
  Field field = {rows, columns, malloc((size_t)size * sizeof(double)),
                 malloc((size_t)size * sizeof(double))};
  initialise(&field);
  double *a = field.now;
  double *b = field.next;
#pragma omp target data map(tofrom : a[0 : size]) map(alloc : b[0 : size])
  {
    for (int k = 0; k < 8; ++k) {
      step(&field);
#pragma omp target update from(a[0 : columns])
      a[0] += 1.0;
#pragma omp target update to(a[0 : 1])
    }
  }
  double sum = 0.0;
#pragma omp target enter data map(to : a[0 : size])
#pragma omp target data use_device_addr(a[0 : size])
#pragma omp target teams distribute parallel for reduction(+ : sum) has_device_addr(a[0 : size])
  for (int i = 0; i < size; ++i) {
    sum += a[i] * (1 + i % 5);
  }
#pragma omp target exit data map(delete : a[0 : size])
  printf("sum %.9f\n", sum);
#pragma omp target data use_device_ptr(b)
#pragma omp target teams distribute parallel for is_device_ptr(b)
  for (int i = 0; i < size; ++i) {
    b[i] = 2.0 * b[i] + weights[i % 3];
  }
  scale = 0.5;
  step(&field);
  sum = 0.0;
  for (int i = 0; i < size; ++i) {
    sum += field.now[i] + b[i];
  }
  printf("sum %.9f\n", sum);
  free(a);
  free(b);
  return 0;
}
