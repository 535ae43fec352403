// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a C++ program does around its loops: constructors that launch, exceptions out of deep
/// frames of main's stack, threads that launch and touch, containers in the window, an exit
/// handler.
#include "runtime/exec/test/hand_region.h"

#include <atomic>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::int64_t kCount = 100000;

template <typename T> struct WindowAllocator {
  using value_type = T;

  WindowAllocator() = default;

  template <typename U> WindowAllocator(const WindowAllocator<U> &) {}

  T *allocate(std::size_t n) { return static_cast<T *>(tutti_new(n * sizeof(T))); }

  void deallocate(T *memory, std::size_t) { ::operator delete(memory); }

  friend bool operator==(const WindowAllocator &, const WindowAllocator &) { return true; }
};

using Numbers = std::vector<double, WindowAllocator<double>>;

// a[i] = a[i] + 1. Captures: a, n.
void addBody(const std::uint64_t *captures, const tutti_chunk *chunk, std::int64_t first,
             std::int64_t last, void *) {
  double *a = VIEW(double, captures[0], chunk);
  for (std::int64_t i = first; i <= last; ++i) {
    a[i] += 1;
  }
}

void addRun(const std::uint64_t *captures, const tutti_chunk *chunk) {
  runLoop(captures, chunk, addBody);
}

std::int64_t addTrip(const std::uint64_t *captures, const std::uint64_t *) {
  return static_cast<std::int64_t>(captures[1]);
}

void addHome(const std::uint64_t *captures) {
  homeLoop(captures, addTrip(captures, nullptr), addBody);
}

constexpr auto addGather = noValues;

void addAccesses(const std::uint64_t *captures, const std::uint64_t *, std::int64_t lower,
                 std::int64_t upper, std::int64_t, tutti_sink *sink) {
  const tutti_dim dim = {8, upper - lower};
  tutti_access(sink, TUTTI_READ | TUTTI_WRITE, captures[0],
               captures[0] + static_cast<std::uint64_t>(8 * lower), 8, 1, &dim);
}

USER_REGION(add, 0x5601, 2, 0, 0);

void launchAdd(Numbers &numbers) {
  const std::uint64_t captures[2] = {reinterpret_cast<std::uint64_t>(numbers.data()),
                                     numbers.size()};
  tutti_launch(&add, captures);
}

struct Early {
  Early() : numbers(kCount, 1) { launchAdd(numbers); }

  ~Early() { // Behind main; the other ranks are still there.
    for (const double number : numbers) {
      CHECK(number == 4);
    }
    std::puts("destroyed");
  }

  Numbers numbers;
};

Early early;

void thrower(Numbers &numbers, int depth) {
  double local[1000];
  std::memset(local, 0, sizeof local);
  launchAdd(numbers);
  if (depth == 0) {
    throw std::runtime_error("from " + std::to_string(numbers[kCount / 2]));
  }
  thrower(numbers, depth - 1);
  CHECK(local[depth] == 0);
}

void testExceptions() {
  Numbers numbers(kCount, 0);
  try {
    thrower(numbers, 10);
    CHECK(false);
  } catch (const std::runtime_error &error) {
    CHECK(std::string(error.what()) == "from 11.000000");
  }
  CHECK(numbers[0] == 11 && numbers[kCount - 1] == 11);
}

void testThreads() {
  Numbers numbers(kCount, 0);
  Numbers own(1000, 0);
  launchAdd(numbers);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] { // All fault, on the same and on other pages.
      for (std::int64_t i = t; i < kCount; i += 3) {
        wrong += numbers[static_cast<std::size_t>(i)] != 1;
      }
    });
  }
  std::thread launcher([&] {
    for (int k = 0; k < 5; ++k) {
      launchAdd(own);
    }
  });
  for (std::thread &thread : threads) {
    thread.join();
  }
  launcher.join();
  CHECK(wrong == 0);
  CHECK(own[0] == 5 && own[999] == 5);
}

/// A thread touches one array while main launches loops over another.
void testTouchesMeanwhile() {
  Numbers numbers(kCount, 0);
  Numbers others(kCount, 0);
  launchAdd(others);
  std::thread toucher([&] {
    for (std::size_t i = 0; i < others.size(); i += 100) {
      CHECK(others[i] == 1);
      others[i] = 2;
    }
  });
  for (int k = 0; k < 50; ++k) {
    launchAdd(numbers);
  }
  toucher.join();
  for (std::size_t i = 0; i < others.size(); ++i) {
    CHECK(numbers[i] == 50);
    CHECK(others[i] == (i % 100 == 0 ? 2 : 1));
  }
}

void testNew() {
  CHECK(tutti_new_nothrow(std::size_t{1} << 60, &std::nothrow) == nullptr);
  bool isThrown = false;
  try {
    tutti_new(std::size_t{1} << 60);
  } catch (const std::bad_alloc &) {
    isThrown = true;
  }
  CHECK(isThrown);
}

void testNested() {
  Numbers numbers(kCount, 0);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    launchAdd(numbers);
  }
  CHECK(numbers[5] == 1);
}

} // namespace

int main(int argc, char **argv) {
  launchAdd(early.numbers);
  testExceptions();
  testThreads();
  testTouchesMeanwhile();
  testNew();
  testNested();
  launchAdd(early.numbers);
  std::puts("ok");
  if (argc > 1) {
    std::exit(std::atoi(argv[1]));
  }
}
