// Loops whose iterations, or threads, allocate memory for themselves: vectors, arrays, memory of C,
// of fixed and of other sizes, that grows, or that is one of several.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace {

double fold(const double *a, int n, std::vector<double> &scratch) {
  for (int k = 0; k < n; ++k) {
    scratch[k] = a[k] * k;
  }
  double sum = 0;
  for (int k = n - 1; k >= 0; --k) {
    sum = 0.5 * sum + scratch[k];
  }
  return sum;
}

double total(const std::vector<double> &values) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i] * (i % 5);
  }
  return sum;
}

} // namespace

int main(int argc, char **) {
  const int n = 2000;
  const int m = 39 + argc;
  std::vector<double> storage(n * m);
  std::vector<double> results(n);
  double *a = storage.data();
  double *r = results.data();
#pragma omp parallel for
  for (int i = 0; i < n * m; ++i) {
    a[i] = (i % 97) * 0.125;
  }

#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    std::vector<double> scratch(m);
    r[i] = fold(a + i * m, m, scratch);
  }
  std::printf("vector %.12g\n", total(results));

#pragma omp parallel for schedule(dynamic, 7)
  for (int i = 0; i < n; ++i) {
    double *row = static_cast<double *>(std::malloc(m * sizeof(double)));
    char *marks = static_cast<char *>(std::calloc(m, 1));
    for (int k = 0; k < m; ++k) {
      row[k] = a[i * m + m - 1 - k];
      marks[k] += k % 3 == 0;
    }
    double sum = 0;
    for (int k = m - 1; k >= 0; --k) {
      sum += marks[k] ? row[k] * k : 0;
    }
    r[i] = sum;
    std::free(row);
    std::free(marks);
  }
  std::printf("malloc %.12g\n", total(results));

#pragma omp parallel
  {
    double *buffer = new double[m];
#pragma omp for
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < m; ++k) {
        buffer[k] = a[i * m + k] + k;
      }
      double sum = 0;
      for (int k = 0; k < m; ++k) {
        sum += buffer[m - 1 - k] / (k + 1);
      }
      r[i] = sum;
    }
    delete[] buffer;
  }
  std::printf("of threads %.12g\n", total(results));

#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const std::unique_ptr<double[]> fixed(new double[16]);
    for (int k = 0; k < 16; ++k) {
      fixed[k] = a[i * m + k];
    }
    double sum = 0;
    for (int k = 0; k < 16; ++k) {
      sum += fixed[15 - k] * k;
    }
    r[i] = sum;
  }
  std::printf("fixed %.12g\n", total(results));

#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    std::vector<int> found;
    for (int k = 0; k < m; ++k) {
      if (a[i * m + k] > 6) {
        found.push_back(k);
      }
    }
    r[i] = found.empty() ? -1 : found.size() + found.back() + found.front();
  }
  std::printf("growing %.12g\n", total(results));

#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double small[8];
    const int length = i % 12;
    double *values =
        length <= 8 ? small : static_cast<double *>(std::malloc(length * sizeof(double)));
    for (int k = 0; k < length; ++k) {
      values[k] = a[i * m + k];
    }
    double sum = 0;
    for (int k = 0; k < length; ++k) {
      sum += values[length - 1 - k] * (k + 1);
    }
    r[i] = sum;
    if (values != small) {
      std::free(values);
    }
  }
  std::printf("chosen %.12g\n", total(results));

  double all = 0;
#pragma omp parallel for reduction(+ : all)
  for (int i = 0; i < n; ++i) {
    std::vector<double> copy(a + i * m, a + i * m + m);
    double *other = new double[m];
    std::memcpy(other, copy.data(), m * sizeof(double));
    for (int k = 0; k < m; ++k) {
      all += copy[k] - 0.5 * other[m - 1 - k];
    }
    delete[] other;
  }
  std::printf("reduction %.12g\n", all);
}
