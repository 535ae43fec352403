// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops that touch single fields of structs, unions, bit-fields, packed and odd types.
#include <complex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct particle {
  double x;
  float charge;
  char kind;
  short cell;
};

struct __attribute__((packed)) packed {
  char tag;
  double value;
  int count;
};

struct bits {
  unsigned low : 5;
  unsigned high : 11;
};

union number {
  long whole;
  double real;
};

int main(void) {
  const int n = 701;
  struct particle *p = calloc((size_t)n, sizeof *p);
  struct packed *q = calloc((size_t)n, sizeof *q);
  struct bits *b = calloc((size_t)n, sizeof *b);
  union number *u = calloc((size_t)n, sizeof *u);
  long double *l = calloc((size_t)n, sizeof *l);
  bool *flags = calloc((size_t)n, sizeof *flags);
  float complex *z = calloc((size_t)n, sizeof *z);
  for (int step = 0; step < 3; ++step) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      p[i].x += i * 0.5;
      p[i].cell = (short)(i % 40);
    }
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      p[i].charge += 0.25f * p[i].cell;
    }
    p[step].kind = 'k';
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      q[i].value += p[i].x;
      q[i].count += step;
    }
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      b[i].low = (unsigned)i;
      b[i].high += 3;
      l[i] += 0.5L * i;
      flags[i] = !flags[i] && i % 3 == 0;
      z[i] += i * (1.0f - 0.5f * I);
      if (i % 2 == 0) {
        u[i].whole = i;
      } else {
        u[i].real = i * 0.5;
      }
    }
  }
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    sum += p[i].x + p[i].charge + p[i].kind + p[i].cell + q[i].tag + q[i].value + q[i].count;
    sum += b[i].low + b[i].high * 2 + (double)l[i] + flags[i] + crealf(z[i]) - cimagf(z[i]);
    sum += i % 2 == 0 ? (double)u[i].whole : u[i].real;
  }
  printf("sum %.6f\n", sum);
  free(p);
  free(q);
  free(b);
  free(u);
  free(l);
  free(flags);
  free(z);
  return 0;
}
