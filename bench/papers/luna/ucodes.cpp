// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The procedures of solver.fa.
#include <cstdio>

#include "ucenv.h"

extern "C" {

void c_wall(OutputDF &b) { b.create<double>(1, 0.0); }

void c_begin(int first, int count, int total, OutputDF &u, OutputDF &lo, OutputDF &hi) {
  double *cells = u.create<double>(count);
  for (int i = 0; i < count; ++i) {
    const double at = (double)(first + i) / total;
    cells[i] = at * (1 - at);
  }
  *lo.create<double>(1) = cells[0];
  *hi.create<double>(1) = cells[count - 1];
}

/// `load` rounds of relaxation between the neighbours as they were: each needs the one before.
void c_relax(int count, int load, const InputDF &u, const InputDF &left, const InputDF &right,
             OutputDF &v, OutputDF &lo, OutputDF &hi) {
  const double *old = u.getData<double>();
  double *relaxed = v.create<double>(count);
  const double before = *left.getData<double>(), behind = *right.getData<double>();
  for (int i = 0; i < count; ++i) {
    const double west = i > 0 ? old[i - 1] : before;
    const double east = i < count - 1 ? old[i + 1] : behind;
    double x = old[i];
    for (int k = 0; k < load; ++k) {
      x = x + 0.25 * (west - 2.0 * x + east);
    }
    relaxed[i] = x;
  }
  *lo.create<double>(1) = relaxed[0];
  *hi.create<double>(1) = relaxed[count - 1];
}

void c_no_sum(OutputDF &s) { *s.create<double>(1) = 0; }

void c_add(const InputDF &s, const InputDF &part, OutputDF &more) {
  const double *cells = part.getData<double>();
  double sum = *s.getData<double>();
  for (size_t i = 0; i < part.getSize() / sizeof(double); ++i) {
    sum += cells[i];
  }
  *more.create<double>(1) = sum;
}

void c_show(const InputDF &s) { std::printf("%.17g\n", *s.getData<double>()); }
}
