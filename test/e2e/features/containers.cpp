// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Standard containers: vectors of vectors, arrays, complex numbers, strings.
#include <algorithm>
#include <array>
#include <complex>
#include <cstdio>
#include <memory>
#include <numeric>
#include <string>
#include <valarray>
#include <vector>

int main() {
  std::vector<std::vector<double>> rows(30, std::vector<double>(40));
#pragma omp parallel for
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows[i].size(); ++j) {
      rows[i][j] = static_cast<double>(i * j % 17);
    }
  }
  std::array<int, 300> fixed{};
#pragma omp parallel for
  for (int i = 0; i < 300; ++i) {
    fixed[i] = (i * 71) % 299;
  }
  std::sort(fixed.begin(), fixed.end(), std::greater<>());
  std::vector<std::complex<double>> spectrum(256);
#pragma omp parallel for
  for (int k = 0; k < 256; ++k) {
    std::complex<double> sum = 0.0;
    for (int i = 0; i < 300; ++i) {
      sum += static_cast<double>(fixed[i]) * std::polar(1.0, -2.0 * 3.14159265358979 * k * i / 256);
    }
    spectrum[k] = sum;
  }
  std::valarray<double> weights(1.0, 256);
#pragma omp parallel for
  for (int k = 0; k < 256; ++k) {
    weights[k] = std::abs(spectrum[k]) / (k + 1);
  }
  std::string text(100, ' ');
#pragma omp parallel for
  for (int i = 0; i < 100; ++i) {
    text[i] = static_cast<char>('A' + fixed[i] % 26);
  }
  const auto grown = std::make_unique<std::vector<long>>();
  for (int step = 0; step < 5; ++step) {
    grown->resize(grown->size() + 77);
    long *data = grown->data();
    const long count = static_cast<long>(grown->size());
#pragma omp parallel for
    for (long i = 0; i < count; ++i) {
      data[i] += i + step;
    }
    grown->push_back(step);
  }
  std::vector<bool> marks(128);
  for (int i = 0; i < 128; i += 3) {
    marks[i] = true;
  }
  long marked = 0;
#pragma omp parallel for reduction(+ : marked)
  for (int i = 0; i < 128; ++i) {
    marked += marks[i];
  }
  double sum = 0.0;
  for (const auto &row : rows) {
    sum = std::accumulate(row.begin(), row.end(), sum);
  }
  std::printf("rows %.3f weights %.6f\n", sum, weights.sum());
  std::printf("%s\n", text.c_str());
  std::printf("grown %ld marked %ld\n", std::accumulate(grown->begin(), grown->end(), 0L), marked);
  return 0;
}
