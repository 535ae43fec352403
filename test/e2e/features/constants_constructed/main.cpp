// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Constants of another file, with values that the compiler knows there and with values that are
/// computed at the start.
#include <cstdio>
#include <vector>

#include "constants.h"

int main() {
  const int n = 3000;
  std::vector<int> index(n);
  std::vector<double> out(n);
  for (int i = 0; i < n; ++i) {
    index[i] = i * 31 % kEntries;
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    out[i] = kKnown * known[index[i]] + known[i % kEntries];
  }
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    sum += out[i] * (i % 5);
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    out[i] = kComputed * computed[index[i]] + computed[i % kEntries] + pair.second;
  }
  for (int i = 0; i < n; ++i) {
    sum += out[i] * (i % 7);
  }
  std::printf("%.6f\n", sum);
}
