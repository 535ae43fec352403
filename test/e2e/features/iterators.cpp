// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Random access iterators and pointers as loop variables, also of functions' arguments;
/// range-based loops.
#include <array>
#include <cstdio>
#include <numeric>
#include <vector>

template <typename Iterator> static void shift(Iterator begin, Iterator end) {
#pragma omp parallel for
  for (Iterator it = begin; it < end; ++it) {
    *it = *it * 2 + 1;
  }
}

template <typename Iterator> static double halves(Iterator begin, Iterator end) {
  double sum = 0.0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 3)
  for (Iterator it = begin; it != end; it++) {
    sum += *it * 0.5;
  }
  return sum;
}

int main() {
  std::vector<double> values(700);
  std::iota(values.begin(), values.end(), 1.0);
#pragma omp parallel for
  for (auto it = values.begin(); it != values.end(); ++it) {
    *it = *it * 2.0 + 1.0;
  }
  double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
  for (std::vector<double>::const_iterator it = values.cbegin(); it < values.cend(); it += 3) {
    sum += *it;
  }
  std::printf("strided %.3f\n", sum);
  sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
  for (auto it = values.rbegin(); it < values.rend(); ++it) {
    sum += *it * 0.5;
  }
  std::printf("reverse %.3f\n", sum);
#pragma omp parallel for
  for (double &value : values) {
    value -= 1.0;
  }
#pragma omp parallel for
  for (double *p = values.data(); p < values.data() + values.size(); ++p) {
    *p *= 0.25;
  }
  shift(values.begin(), values.end());
  shift(values.rbegin(), values.rend() - 100);
  std::array<int, 300> numbers;
  numbers.fill(4);
  shift(numbers.begin(), numbers.end());
  std::printf("arguments %.3f %.3f %.3f\n", halves(values.cbegin(), values.cend()),
              halves(values.rbegin(), values.rend()), halves(numbers.begin() + 7, numbers.end()));
  std::printf("total %.3f\n", std::accumulate(values.begin(), values.end(), 0.0));
  return 0;
}
