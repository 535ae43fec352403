// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Arrays of row pointers, structs with pointers, linked cells.
#include <stdio.h>
#include <stdlib.h>

struct field {
  int rows, columns;
  double **values;

  struct {
    double *weights;
    int count;
  } inner;
};

struct cell {
  struct cell *next;
  double value;
};

int main(void) {
  struct field f = {.rows = 40, .columns = 33};
  f.values = malloc((size_t)f.rows * sizeof *f.values);
  for (int i = 0; i < f.rows; ++i) {
    f.values[i] = malloc((size_t)f.columns * sizeof **f.values);
  }
  f.inner.count = 5;
  f.inner.weights = malloc((size_t)f.inner.count * sizeof *f.inner.weights);
  for (int k = 0; k < f.inner.count; ++k) {
    f.inner.weights[k] = 1.0 + k;
  }
#pragma omp parallel for
  for (int i = 0; i < f.rows; ++i) {
    for (int j = 0; j < f.columns; ++j) {
      f.values[i][j] = i * 10 + j * f.inner.weights[j % f.inner.count];
    }
  }
  struct field *p = &f;
  for (int k = 0; k < 5; ++k) {
#pragma omp parallel for
    for (int i = 0; i < p->rows; ++i) {
      double *row = p->values[i];
      for (int j = 1; j < p->columns; ++j) {
        row[j] += 0.5 * row[j - 1];
      }
    }
    p->inner.weights[k] *= 2.0;
  }
  double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < f.rows; ++i) {
    for (int j = 0; j < f.columns; ++j) {
      sum += f.values[i][j] * f.inner.weights[(i + j) % 5];
    }
  }
  printf("rows %.6f\n", sum);

  enum { LISTS = 30 };
  struct cell *heads[LISTS];
  for (int i = 0; i < LISTS; ++i) {
    heads[i] = NULL;
    for (int k = 0; k <= i; ++k) {
      struct cell *c = malloc(sizeof *c);
      c->next = heads[i];
      c->value = k;
      heads[i] = c;
    }
  }
  double sums[LISTS];
#pragma omp parallel for
  for (int i = 0; i < LISTS; ++i) {
    sums[i] = 0.0;
    for (struct cell *c = heads[i]; c != NULL; c = c->next) {
      c->value += 1.0;
      sums[i] += c->value;
    }
  }
  double all = 0.0;
  for (int i = 0; i < LISTS; ++i) {
    all += sums[i] + heads[i]->value;
    for (struct cell *c = heads[i]; c != NULL;) {
      struct cell *next = c->next;
      free(c);
      c = next;
    }
  }
  printf("lists %.6f\n", all);
  for (int i = 0; i < f.rows; ++i) {
    free(f.values[i]);
  }
  free(f.values);
  free(f.inner.weights);
  return 0;
}
