// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// User-declared reductions on trivially copyable classes, and built-in ones in templates.
#include <algorithm>
#include <complex>
#include <cstdio>
#include <vector>

namespace {

struct Box {
  double low[2] = {1e300, 1e300};
  double high[2] = {-1e300, -1e300};

  void add(double x, double y) {
    low[0] = std::min(low[0], x);
    low[1] = std::min(low[1], y);
    high[0] = std::max(high[0], x);
    high[1] = std::max(high[1], y);
  }

  /// An empty box changes nothing: threads without iterations have one.
  Box &operator+=(const Box &other) {
    for (int axis = 0; axis < 2; ++axis) {
      low[axis] = std::min(low[axis], other.low[axis]);
      high[axis] = std::max(high[axis], other.high[axis]);
    }
    return *this;
  }
};

template <typename T> T total(const std::vector<T> &values) {
  T sum{};
#pragma omp parallel for reduction(+ : sum)
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i];
  }
  return sum;
}

} // namespace

#pragma omp declare reduction(join:Box : omp_out += omp_in)
#pragma omp declare reduction(+ : std::complex<double> : omp_out += omp_in)

int main() {
  const int n = 1234;
  std::vector<double> x(n), y(n);
  std::vector<long> k(n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    x[i] = (i * 37) % 1000 * 0.1;
    y[i] = (i * 91) % 777 * -0.2;
    k[i] = i % 13;
  }
  Box box;
#pragma omp parallel for reduction(join : box)
  for (int i = 0; i < n; ++i) {
    box.add(x[i], y[i]);
  }
  std::complex<double> z(0.0, 0.0);
#pragma omp parallel for reduction(+ : z)
  for (int i = 0; i < n; ++i) {
    z += std::complex<double>(x[i], y[i]);
  }
  std::printf("box %.2f %.2f %.2f %.2f\n", box.low[0], box.low[1], box.high[0], box.high[1]);
  std::printf("complex %.4f %.4f\n", z.real(), z.imag());
  std::printf("totals %.4f %ld\n", total(x), total(k));
  return 0;
}
