// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The procedures of matmul.fa.
#include <cstdio>

#include "ucenv.h"

extern "C" {

void c_fill(int size, int row, int column, OutputDF &block) {
  double *cells = block.create<double>((size_t)size * size);
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      cells[i * size + j] = (row * 3 + column * 5 + i * 7 + j * 11) % 13;
    }
  }
}

void c_multiply(int size, const InputDF &c, const InputDF &a, const InputDF &b, OutputDF &sum) {
  const double *before = c.getData<double>();
  const double *left = a.getData<double>();
  const double *right = b.getData<double>();
  double *cells = sum.create<double>((size_t)size * size);
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      double cell = before[i * size + j];
      for (int k = 0; k < size; ++k) {
        cell += left[i * size + k] * right[k * size + j];
      }
      cells[i * size + j] = cell;
    }
  }
}

void c_no_sum(OutputDF &sum) { *sum.create<double>(1) = 0; }

void c_add(const InputDF &sum, const InputDF &block, OutputDF &more) {
  const double *cells = block.getData<double>();
  const size_t count = block.getSize() / sizeof(double);
  double all = *sum.getData<double>();
  for (size_t i = 0; i < count; ++i) {
    all += cells[i];
  }
  *more.create<double>(1) = all;
}

void c_show(const InputDF &sum) { std::printf("sum %.17g\n", *sum.getData<double>()); }
}
