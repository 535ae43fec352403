// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A program that replaces operator new in another file.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

extern long alive;

int main() {
  std::vector<double> values(5000);
  double *plain = static_cast<double *>(std::malloc(5000 * sizeof(double)));
  std::string text(100, 'x');
  const long before = alive;
  const auto numbers = std::make_unique<int[]>(50);
#pragma omp parallel for
  for (int i = 0; i < 5000; ++i) {
    values[i] = i + numbers[i % 50];
  }
#pragma omp parallel for
  for (int i = 0; i < 5000; ++i) {
    plain[i] = 2 * i;
  }
  double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 5000; ++i) {
    sum += values[i] + plain[i];
  }
  std::printf("%.1f %d %zu\n", sum, alive > before, text.size());
  std::free(plain);
  return 0;
}
