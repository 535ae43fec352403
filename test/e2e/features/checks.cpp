// Loops that check as they go: assertions, at(), exceptions that end the program. Nothing is wrong
// unless arguments say which iteration is: of the first check, of the one that tells why.
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

class Matrix {
public:
  Matrix(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), data_(rows * columns) {}

  double &at(std::size_t i, std::size_t j) {
    if (i >= rows_ || j >= columns_) {
      throw std::out_of_range("Matrix::at");
    }
    return data_[i * columns_ + j];
  }

  std::size_t rows() const { return rows_; }

  std::size_t columns() const { return columns_; }

private:
  std::size_t rows_, columns_;
  std::vector<double> data_;
};

int main(int argc, char **argv) {
  const long wrong = argc > 1 ? std::atol(argv[1]) : -1;
  const long denied = argc > 2 ? std::atol(argv[2]) : -1;
  Matrix m(60, 40);
#pragma omp parallel for
  for (std::size_t i = 0; i < m.rows(); ++i) {
    for (std::size_t j = 0; j < m.columns(); ++j) {
      m.at(i, j) = std::sqrt(i + 2.0 * j);
    }
  }
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (std::size_t i = 0; i < m.rows(); ++i) {
    sum += m.at(i, i % 40);
  }
  std::vector<double> v(500), w(500);
  std::puts("before");
  std::fflush(stdout);
#pragma omp parallel for
  for (int i = 0; i < 500; ++i) {
    assert(i != wrong);
    v.at(i) = i != denied ? i : -i;
  }
#pragma omp parallel for
  for (int i = 0; i < 500; ++i) {
    const double value = v[i];
    if (value < 0) {
      std::fprintf(stderr, "iteration %d has %g\n", i, value);
      std::abort();
    }
    w[i] = 2 * value;
  }
  int nothing = 0;
#pragma omp parallel for
  for (int i = 0; i < 500; ++i) {
    v[i] = i % 7 != 0 ? i : std::nan("");
  }
  for (const double value : v) {
    nothing += std::isnan(value) ? 1 : 0;
  }
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 500; ++i) {
    if (w[i] == 2000) {
      throw i;
    }
    sum += w[i];
  }
  std::printf("%.6f %d\n", sum, nothing);
}
