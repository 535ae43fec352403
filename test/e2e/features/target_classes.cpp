// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Target regions in member functions, templates and lambdas, over containers.
#include <cstdio>
#include <numeric>
#include <vector>

template <class T> class Vector {
public:
  explicit Vector(int n) : values_(n) {}

  template <class F> void fill(F f) {
    T *data = values_.data();
    const int n = static_cast<int>(values_.size());
#pragma omp target teams distribute parallel for map(from : data[0 : n])
    for (int i = 0; i < n; ++i) {
      data[i] = f(i);
    }
  }

  void scale(T factor) {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < static_cast<int>(values_.size()); ++i) {
      values_[i] *= factor;
    }
  }

  T sum() const {
    T result = 0;
    const T *data = values_.data();
#pragma tutti device(cpu)
#pragma omp target teams distribute parallel for reduction(+ : result)
    for (int i = 0; i < static_cast<int>(values_.size()); ++i) {
      result += data[i];
    }
    return result;
  }

private:
  std::vector<T> values_;
};

struct Pair {
  double first = 0.0;
  long second = 0;
};

#pragma omp declare reduction(join:Pair : omp_out.first += omp_in.first,                           \
                                  omp_out.second += omp_in.second) initializer(omp_priv = Pair())

int main() {
  const int n = 1301;
  Vector<double> x(n);
  Vector<int> k(n);
  const double step = 0.125;
  x.fill([step](int i) { return step * i; });
  k.fill([](int i) { return i % 11; });
  x.scale(3.0);
  k.scale(2);
  std::printf("%.6f %d\n", x.sum(), k.sum());

  std::vector<double> v(n);
  std::iota(v.begin(), v.end(), 0.0);
  const auto twice = [&](double factor) {
#pragma tutti device(gpu) block(128)
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; ++i) {
      v[i] = factor * v[i] + 1.0;
    }
  };
  twice(2.0);
  twice(0.5);
  Pair pair;
#pragma omp target teams distribute parallel for reduction(join : pair) map(tofrom : pair)
  for (int i = 0; i < n; ++i) {
    pair.first += v[i];
    pair.second += i;
  }
  std::printf("%.6f %ld\n", pair.first, pair.second);
  return 0;
}
