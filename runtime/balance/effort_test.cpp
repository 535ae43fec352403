// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What cutting a loop costs, counted in instructions: they are the same however busy the machine
/// is.
#include "runtime/balance/cut.h"
#include "runtime/balance/rope.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <functional>
#include <optional>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace tutti::balance {

namespace {

/// A core of any machine executes as many in this time. Units: microseconds.
constexpr std::int64_t kInstructionsIn50 = 50 * 1000;

/// Instructions of the program that `body` executes, in a process of its own that is gone through
/// step by step; nothing where that is not allowed.
std::optional<std::int64_t> instructionsOf(const std::function<void()> &body) {
  const pid_t child = fork();
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) {
      _exit(1);
    }
    raise(SIGSTOP);
    body();
    _exit(0);
  }
  std::int64_t count = 0;
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFSTOPPED(status)) {
    return std::nullopt;
  }
  while (WIFSTOPPED(status)) {
    if (ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) != 0) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return std::nullopt;
    }
    waitpid(child, &status, 0);
    ++count;
  }
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  return count;
}

bool isInstrumented() {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return true;
#endif
#endif
#ifdef NDEBUG
  return false;
#else
  return true;
#endif
}

class Effort : public testing::Test {
protected:
  void SetUp() override {
    if (isInstrumented()) {
      GTEST_SKIP() << "other instructions than those of a release build";
    }
    if (!instructionsOf([] {})) {
      GTEST_SKIP() << "no process may be traced here";
    }
  }
};

std::int64_t toCut(std::size_t places) {
  const std::vector<std::uint32_t> weights(places, 1000);
  return *instructionsOf([&] { static_cast<void>(cut(1'000'003, weights)); });
}

/// Times from which a border moves, of a loop that is worth it.
std::int64_t toLearn(std::size_t places) {
  Rope rope(std::vector<double>(places, 1.0), Places::Unlike);
  const Rope::Loop loop = rope.addLoop();
  std::vector<PartTime> times;
  for (std::size_t place = 0; place < places; ++place) {
    times.push_back({static_cast<std::int32_t>(place), rope.borders()[place],
                     rope.borders()[place + 1], place % 3 == 0 ? 0.3 : 0.1});
  }
  return *instructionsOf([&] {
    if (!rope.add(loop, times, 1, {1e6, 10e9})) {
      _exit(1);
    }
  });
}

TEST_F(Effort, CutsALoopForAThousandDevicesInLessThan50Microseconds) {
  EXPECT_LT(toCut(1000), kInstructionsIn50);
}

TEST_F(Effort, CutsAndLearnsInProportionToPlaces) {
  EXPECT_LT(static_cast<double>(toCut(400)), 2.2 * static_cast<double>(toCut(200)));
  EXPECT_LT(static_cast<double>(toLearn(32)), 2.5 * static_cast<double>(toLearn(16)));
}

} // namespace

} // namespace tutti::balance
