// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops in member functions, virtual calls, references and inheritance.
#include <cstdio>
#include <memory>
#include <vector>

namespace {

class Source {
public:
  virtual ~Source() = default;
  virtual double at(int i) const = 0;
};

class Ramp final : public Source {
public:
  explicit Ramp(double slope) : slope_(slope) {}

  double at(int i) const override { return slope_ * i; }

private:
  double slope_;
};

class Step final : public Source {
public:
  double at(int i) const override { return i > 200 ? 1.0 : 0.0; }
};

template <typename T> class Field {
public:
  explicit Field(int n) : n_(n), data_(new T[n]()), scale_(1) {}

  ~Field() { delete[] data_; }

  Field(const Field &) = delete;
  Field &operator=(const Field &) = delete;

  void add(const Source &source) {
#pragma omp parallel for
    for (int i = 0; i < n_; ++i) {
      data_[i] += static_cast<T>(source.at(i)) * scale_;
    }
  }

  void addField(const Field &other) {
#pragma omp parallel for
    for (int i = 0; i < n_; ++i) {
      data_[i] += other.data_[n_ - 1 - i];
    }
  }

  T sum() const {
    T total = 0;
#pragma omp parallel for reduction(+ : total)
    for (int i = 0; i < n_; ++i) {
      total += data_[i] * (i % 3);
    }
    return total;
  }

  void setScale(T scale) { scale_ = scale; }

  T &operator[](int i) { return data_[i]; }

private:
  int n_;
  T *data_;
  T scale_;
};

} // namespace

int main() {
  Field<double> a(450);
  Field<double> b(450);
  Field<float> c(100);
  std::vector<std::unique_ptr<Source>> sources;
  sources.push_back(std::make_unique<Ramp>(0.5));
  sources.push_back(std::make_unique<Step>());
  for (const auto &source : sources) {
    a.add(*source);
    b.setScale(2.0);
    b.add(*source);
    c.add(*source);
  }
  a[3] = -7.0;
  double &reference = b[17];
  reference += 100.0;
  a.addField(b);
  std::printf("%.3f %.3f %.3f\n", a.sum(), b.sum(), static_cast<double>(c.sum()));
  return 0;
}
