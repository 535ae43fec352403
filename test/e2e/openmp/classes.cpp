// OpenMP's tasks in C++: objects that tasks copy, templates, lambdas, exceptions.
#include <atomic>
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

std::atomic<int> made{0};
std::atomic<int> gone{0};

class Counted {
public:
  explicit Counted(int value) : value_(value) { ++made; }

  Counted(const Counted &other) : value_(other.value_) { ++made; }

  Counted &operator=(const Counted &) = default;

  ~Counted() { ++gone; }

  int value() const { return value_; }

private:
  int value_;
};

// What a task has copied is gone when somebody has waited for it.
void copies() {
  int sum = 0;
  int balance = 0;
#pragma omp parallel
#pragma omp single
  {
    {
      Counted counted(3);
      for (int i = 0; i < 50; i++) {
#pragma omp task firstprivate(counted) shared(sum)
        {
#pragma omp atomic
          sum += counted.value();
        }
      }
#pragma omp taskloop firstprivate(counted) shared(sum) grainsize(5)
      for (int i = 0; i < 50; i++) {
#pragma omp atomic
        sum += counted.value();
      }
#pragma omp task firstprivate(counted) shared(sum) if (0)
      sum += counted.value();
#pragma omp taskwait
    }
    balance = made - gone;
  }
  std::printf("copies %d %d\n", sum, balance);
}

template <typename T> T sum(const std::vector<T> &values, std::size_t first, std::size_t last) {
  if (last - first < 10) {
    return std::accumulate(values.begin() + first, values.begin() + last, T());
  }
  T low{};
  T high{};
  const std::size_t middle = (first + last) / 2;
#pragma omp task shared(low, values)
  low = sum(values, first, middle);
#pragma omp task shared(high, values)
  high = sum(values, middle, last);
#pragma omp taskwait
  return low + high;
}

class Chain {
public:
  void grow(int n) {
    for (int i = 0; i < n; i++) {
#pragma omp task depend(inout : text_) firstprivate(i)
      text_ += std::to_string(i);
    }
  }

  const std::string &text() const { return text_; }

private:
  std::string text_;
};

void exceptions() {
  int caught = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 30; i++) {
#pragma omp task shared(caught)
    {
      try {
        int below = 0;
#pragma omp task shared(below)
        {
          try {
            throw std::runtime_error("below");
          } catch (const std::exception &) {
            below = 1;
          }
        }
        try {
          throw i;
        } catch (int value) {
#pragma omp taskwait
          if (below == 1) {
            throw;
          }
        }
      } catch (int value) {
#pragma omp atomic
        caught += value == i;
      }
    }
  }
  std::printf("exceptions %d\n", caught);
}

} // namespace

int main() {
  copies();
  std::vector<long> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 1);
  std::vector<std::string> letters(100, "ab");
  long total = 0;
  std::string text;
  Chain chain;
#pragma omp parallel
#pragma omp single
  {
    total = sum(numbers, 0, numbers.size());
    text = sum(letters, 0, letters.size());
    chain.grow(50);
    auto twice = [&total] {
#pragma omp task shared(total)
      total *= 2;
#pragma omp taskwait
    };
    twice();
  }
  std::printf("%ld %zu %s\n", total, text.size(), chain.text().c_str());
  exceptions();
  return 0;
}
