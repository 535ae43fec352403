// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Templates, functors and lambdas with captures inside of loops.
#include <array>
#include <cstdio>
#include <functional>
#include <vector>

namespace {

template <typename T, typename Function> void forEach(std::vector<T> &values, Function function) {
#pragma omp parallel for
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = function(i, values[i]);
  }
}

struct Scale {
  double factor;
  const double *offsets;

  double operator()(std::size_t i, double value) const { return value * factor + offsets[i % 4]; }
};

template <int Width> double stencil(const std::vector<double> &in, std::vector<double> &out) {
  const long n = static_cast<long>(in.size());
  double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
  for (long i = Width; i < n - Width; ++i) {
    double value = 0.0;
    for (int k = -Width; k <= Width; ++k) {
      value += in[i + k];
    }
    out[i] = value / (2 * Width + 1);
    sum += out[i];
  }
  return sum;
}

} // namespace

int main() {
  std::vector<double> a(900), b(900);
  const std::array<double, 4> offsets = {0.5, 1.5, -1.0, 2.0};
  const double base = 3.0;
  forEach(a, [=](std::size_t i, double) { return base + static_cast<double>(i % 50); });
  forEach(a, Scale{0.5, offsets.data()});
  int calls = 0;
  auto shift = [&](std::size_t i, double value) { return value + offsets[i % 4] * base; };
  forEach(a, shift);
  ++calls;
  std::printf("narrow %.6f\n", stencil<1>(a, b));
  std::printf("wide %.6f\n", stencil<4>(b, a));
  const std::function<double(std::size_t, double)> erased = shift;
  forEach(a, erased);
  std::vector<float> f(333, 1.0f);
  forEach(f, [&](std::size_t i, float v) { return v * static_cast<float>(i); });
  double sum = calls;
  for (const double v : a) {
    sum += v;
  }
  for (const float v : f) {
    sum += v;
  }
  std::printf("sum %.4f\n", sum);
  return 0;
}
