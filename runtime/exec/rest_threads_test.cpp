// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/rest_threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <omp.h>
#include <string>
#include <thread>

// Other compilers' omp.h have none of these.
extern "C" int kmp_get_blocktime();
extern "C" void kmp_set_blocktime(int milliseconds);

namespace tutti::exec {

namespace {

/// Threads of this process that sleep.
int sleeping() {
  int count = 0;
  for (const auto &each : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(each.path() / "stat");
    std::string text;
    std::getline(file, text);
    count += text.find(") S ") != std::string::npos ? 1 : 0;
  }
  return count;
}

TEST(RestThreads, LetsThreadsSleepThatLookForWork) {
  constexpr int kThreads = 4;
  constexpr int kLong = 1000 * 1000; // Units: milliseconds.
  omp_set_num_threads(kThreads);
  kmp_set_blocktime(kLong);

  restThreads();

  for (int look = 0; sleeping() < kThreads - 1 && look < 1000; ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(sleeping(), kThreads - 1);
  EXPECT_EQ(kmp_get_blocktime(), kLong);
}

/// Threads of this process.
std::ptrdiff_t threads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

TEST(RestThreads, StartsNoneThatNobodyWants) {
  omp_set_num_threads(16);
  kmp_set_blocktime(200);
  const std::ptrdiff_t before = threads();

  restThreads(2);

  EXPECT_LE(threads(), std::max(before, std::ptrdiff_t{2}));
}

} // namespace

} // namespace tutti::exec
