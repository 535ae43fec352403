// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Products and quotients of complex numbers, also of those that have no result or an infinite one.
// TOLERANCE: 1e-6
#include <cmath>
#include <complex>
#include <cstdio>
#include <limits>
#include <vector>

template <typename T> using Numbers = std::vector<std::complex<T>>;

template <typename T> static int escapes(std::complex<T> at) {
  std::complex<T> z = 0;
  int steps = 0;
  while (steps < 50 && std::norm(z) < 4) {
    z = z * z + at;
    ++steps;
  }
  return steps;
}

template <typename T> static void mandelbrot() {
  const int rows = 40;
  const int columns = 60;
  std::vector<int> steps(rows * columns);
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      steps[i * columns + j] = escapes(std::complex<T>(T(j) / 25 - T(1.7), T(i) / 16 - T(1.2)));
    }
  }
  long sum = 0;
  for (int k = 0; k < rows * columns; ++k) {
    sum += steps[k] * (1 + k % 7);
  }
  std::printf("mandelbrot %ld\n", sum);
}

/// What is no number has no sign that anybody promises.
static double shown(double x) { return std::isnan(x) ? -12345.0 : x; }

template <typename T> static void print(const char *name, const Numbers<T> &numbers) {
  for (const std::complex<T> &z : numbers) {
    std::printf("%s %.7g %.7g\n", name, shown(z.real()), shown(z.imag()));
  }
}

template <typename T> static void special() {
  const T large = std::numeric_limits<T>::max();
  const T infinity = std::numeric_limits<T>::infinity();
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const std::vector<T> parts{T(0), T(-1), T(2.5), large, -infinity, infinity, nan};
  const int count = static_cast<int>(parts.size());
  Numbers<T> numbers(count * count);
  for (int i = 0; i < count * count; ++i) {
    numbers[i] = {parts[i / count], parts[i % count]};
  }
  const int size = count * count;
  Numbers<T> products(size * size);
  Numbers<T> quotients(size * size);
#pragma omp parallel for
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      products[i * size + j] = numbers[i] * numbers[j];
      quotients[i * size + j] = numbers[i] / numbers[j];
    }
  }
  print("product", products);
  print("quotient", quotients);
}

template <typename T> static void ordinary() {
  const int size = 500;
  Numbers<T> x(size);
  Numbers<T> y(size);
#pragma omp parallel for
  for (int i = 0; i < size; ++i) {
    x[i] = {T(i % 17) / 4 - 1, T(i % 23) / 8 + 1};
    y[i] = x[i] / std::complex<T>(T(1 + i % 5), T(-i % 3)) * x[i];
  }
  print("ordinary", y);
}

int main() {
  mandelbrot<double>();
  ordinary<double>();
  ordinary<float>();
  special<double>();
  special<float>();
  return 0;
}
