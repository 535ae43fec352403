// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Threads of the program that start loops on objects of their own, while `main` does the same and
/// reads what it has made.
#include <cstdio>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr int kThreads = 3;
constexpr int kSteps = 30;

class Field {
public:
  Field(long count, int kind)
      : count_(count), factor_(0.3 + 0.01 * kind), now_(new double[count]),
        next_(new double[count]) {
    for (long i = 0; i < count; ++i) {
      now_[i] = next_[i] = static_cast<double>(i * (kind + 1) % 13);
    }
  }

  ~Field() {
    delete[] now_;
    delete[] next_;
  }

  Field(const Field &) = delete;
  Field &operator=(const Field &) = delete;

  void smooth() {
#pragma omp parallel for
    for (long i = 1; i < count_ - 1; ++i) {
      next_[i] = factor_ * (now_[i - 1] + now_[i] + now_[i + 1]);
    }
    std::swap(now_, next_);
  }

  void limit() {
#pragma omp parallel for
    for (long i = 0; i < count_; ++i) {
      now_[i] = now_[i] > 2.0 ? 1.0 : now_[i];
    }
  }

  double sum() const {
    double all = 0.0;
    for (long i = 0; i < count_; i += 5) {
      all += now_[i] * static_cast<double>(i % 7);
    }
    return all;
  }

  void run() {
    for (int step = 0; step < kSteps; ++step) {
      smooth();
      limit();
      seen_ += step % 7 == 0 ? sum() : 0.0;
    }
  }

  double seen() const { return seen_; }

private:
  long count_;
  double factor_;
  double *now_;
  double *next_;
  double seen_ = 0.0;
};

} // namespace

int main() {
  std::vector<std::unique_ptr<Field>> fields;
  for (int kind = 0; kind <= kThreads; ++kind) {
    fields.push_back(std::make_unique<Field>(3000 + 500 * kind, kind));
  }
  std::vector<std::thread> threads;
  for (int kind = 0; kind < kThreads; ++kind) {
    threads.emplace_back([field = fields[kind].get()] { field->run(); });
  }
  fields[kThreads]->run();
  for (std::thread &thread : threads) {
    thread.join();
  }
  for (const auto &field : fields) {
    std::printf("%.9e %.9e\n", field->sum(), field->seen());
  }
  return 0;
}
