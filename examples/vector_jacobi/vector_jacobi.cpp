// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Jacobi's method on std::vector, with a small grid class.
///
/// usage: vector_jacobi [points per side] [iterations]
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

namespace {

class Grid {
public:
  Grid(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), values_(rows * columns) {}

  double &operator()(std::size_t i, std::size_t j) { return values_[i * columns_ + j]; }

  double operator()(std::size_t i, std::size_t j) const { return values_[i * columns_ + j]; }

  std::size_t rows() const { return rows_; }

  std::size_t columns() const { return columns_; }

  double sum() const { return std::accumulate(values_.begin(), values_.end(), 0.0); }

private:
  std::size_t rows_;
  std::size_t columns_;
  std::vector<double> values_;
};

double sweep(const Grid &old, Grid &next) {
  double change = 0.0;
#pragma omp parallel for reduction(max : change)
  for (std::size_t i = 1; i < old.rows() - 1; ++i) {
    for (std::size_t j = 1; j < old.columns() - 1; ++j) {
      next(i, j) = 0.25 * (old(i - 1, j) + old(i + 1, j) + old(i, j - 1) + old(i, j + 1));
      change = std::fmax(change, std::fabs(next(i, j) - old(i, j)));
    }
  }
  return change;
}

} // namespace

int main(int argc, char **argv) {
  const std::size_t n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 300;
  const int iterations = argc > 2 ? std::atoi(argv[2]) : 50;
  Grid old(n, n);
  Grid next(n, n);
  for (std::size_t j = 0; j < n; ++j) {
    old(0, j) = next(0, j) = 1.0 + 0.5 * std::sin(0.1 * static_cast<double>(j));
  }

  double change = 0.0;
  for (int k = 0; k < iterations; ++k) {
    change = sweep(old, next);
    std::swap(old, next);
  }
  std::printf("vector_jacobi %zu x %zu, %d iterations\n", n, n, iterations);
  std::printf("largest change %.9e\n", change);
  std::printf("checksum %.9e\n", old.sum());
  return 0;
}
