// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The procedures of heat.fa.
#include <cstdio>

#include "ucenv.h"

extern "C" {

void c_begin(int first, int size, int all, OutputDF &u, OutputDF &lo, OutputDF &hi) {
  double *cells = u.create<double>(size);
  for (int i = 0; i < size; ++i) {
    cells[i] = (double)((first + i) % 97) * (all - first - i) / all;
  }
  *lo.create<double>(1) = cells[0];
  *hi.create<double>(1) = cells[size - 1];
}

void c_wall(OutputDF &border) { *border.create<double>(1) = 0; }

void c_late_wall(const InputDF &go, OutputDF &border) {
  *border.create<double>(1) = *go.getData<double>();
}

void c_step(int size, const InputDF &u, const InputDF &left, const InputDF &right, OutputDF &v,
            OutputDF &lo, OutputDF &hi) {
  const double *before = u.getData<double>();
  double *cells = v.create<double>(size);
  const double first = *left.getData<double>();
  const double last = *right.getData<double>();
  for (int i = 0; i < size; ++i) {
    const double west = i > 0 ? before[i - 1] : first;
    const double east = i < size - 1 ? before[i + 1] : last;
    cells[i] = before[i] + 0.25 * (west - 2 * before[i] + east);
  }
  *lo.create<double>(1) = cells[0];
  *hi.create<double>(1) = cells[size - 1];
}

void c_no_sum(OutputDF &sum) { *sum.create<double>(1) = 0; }

void c_add(const InputDF &sum, int size, const InputDF &u, OutputDF &more) {
  const double *cells = u.getData<double>();
  double all = *sum.getData<double>();
  for (int i = 0; i < size; ++i) {
    all += cells[i];
  }
  *more.create<double>(1) = all;
}

void c_show(const InputDF &sum) { std::printf("sum %.17g\n", *sum.getData<double>()); }
}
