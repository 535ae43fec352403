// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Many tasks: nested, ready at once, one after the other. Threads and memory stay bounded.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "test/tasks/abi.h"

using namespace by_hand;

namespace {

/// A line of /proc/self/status.
long status(const char *name) {
  long value = -1;
  char line[256];
  std::FILE *file = std::fopen("/proc/self/status", "r");
  while (std::fgets(line, sizeof line, file)) {
    if (std::strncmp(line, name, std::strlen(name)) == 0) {
      value = std::atol(line + std::strlen(name) + 1);
    }
  }
  std::fclose(file);
  return value;
}

std::atomic<long> mostThreads{0};

long fibonacci(int n) {
  if (n < 2) {
    return n;
  }
  long a = 0;
  long b = 0;
  task([&a, n] { a = fibonacci(n - 1); }).submit();
  task([&b, n] { b = fibonacci(n - 2); }).submit();
  wait();
  if (n == 20) {
    const long threads = status("Threads");
    long most = mostThreads.load();
    while (most < threads && !mostThreads.compare_exchange_weak(most, threads)) {
    }
  }
  return a + b;
}

void nest(int depth, std::atomic<int> &count) {
  count.fetch_add(1, std::memory_order_relaxed);
  if (depth > 1) {
    task([depth, &count] { nest(depth - 1, count); }).submit();
    wait();
  }
}

/// A tree whose inner tasks do not wait.
void grow(int levels, std::atomic<int> &count) {
  count.fetch_add(1, std::memory_order_relaxed);
  for (int child = 0; levels > 0 && child < 10; ++child) {
    task([levels, &count] { grow(levels - 1, count); }).submit();
  }
}

} // namespace

int main(int argc, char **argv) {
  const long workers = argc > 1 ? std::atol(argv[1]) : 0;
  const char *only = argc > 2 ? argv[2] : "";
  constexpr int kMany = 1'000'000;
  const auto runs = [only](const char *name) { return !*only || std::strcmp(only, name) == 0; };
  if (runs("fibonacci")) {
    expect(fibonacci(30) == 832040, "fibonacci(30)");
    expect(workers == 0 || mostThreads == workers, "one thread for each worker");
  }
  if (runs("ready")) {
    std::atomic<int> count{0};
    for (int index = 0; index < kMany; ++index) {
      task([&count] { count.fetch_add(1, std::memory_order_relaxed); }).submit();
    }
    wait();
    expect(count == kMany, "a million tasks are ready at once");
  }
  if (runs("chain")) {
    int last = 0;
    for (int index = 0; index < kMany; ++index) {
      task([&last, index] { last += last == index ? 1 : 0; }).inout(last).submit();
    }
    wait();
    expect(last == kMany, "a million tasks one after the other");
  }
  if (runs("depth")) {
    std::atomic<int> count{0};
    nest(100'000, count);
    expect(count == 100'000, "tasks in tasks");
  }
  if (runs("tree")) {
    std::atomic<int> count{0};
    grow(6, count);
    wait();
    expect(count == 1'111'111, "a tree of tasks that do not wait");
  }
  std::printf("most memory %ld MB\n", status("VmHWM") / 1024);
  std::puts("passed");
}
