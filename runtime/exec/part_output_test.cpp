// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/part_output.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tutti::exec {

namespace {

/// What `writeText` writes to both streams, each piece behind the name of its stream.
std::string written(const Printed &printed) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  writeText(printed.text);
  std::fflush(stdout);
  const std::string errors = testing::internal::GetCapturedStderr();
  return testing::internal::GetCapturedStdout() + "|" + errors;
}

/// The same when both streams lead to one place.
std::string mixed(const Printed &printed) {
  testing::internal::CaptureStderr();
  std::fflush(stdout);
  const int before = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  writeText(printed.text);
  std::fflush(stdout);
  dup2(before, STDOUT_FILENO);
  close(before);
  return testing::internal::GetCapturedStderr();
}

TEST(PartOutput, KeepsTheTextOfEachThreadInOnePieceInOrder) {
  PartOutput output(false);

  std::fputs("c", output.streamFor(8, 0, stdout));
  std::fputs("b", output.streamFor(0, 1, stdout));
  std::fprintf(output.streamFor(0, 0, stdout), "%s%d", "a", 1);
  std::fputs("B", output.streamFor(0, 1, stdout));

  EXPECT_EQ(written(output.take()), "a1bBc|");
}

TEST(PartOutput, TellsStandardErrorFromStandardOutput) {
  PartOutput output(false);
  std::fputs("out", output.streamFor(0, 0, stdout));
  std::fputs("error", output.streamFor(0, 0, stderr));
  std::fputs("more", output.streamFor(0, 0, stdout));
  const Printed printed = output.take();

  EXPECT_EQ(written(printed), "outmore|error");
  EXPECT_EQ(mixed(printed), "outerrormore") << "in the order of the calls";
}

TEST(PartOutput, LeavesTheStreamsOfTheProgramToThePartThatMayUseThem) {
  PartOutput output(true);

  EXPECT_EQ(output.streamFor(0, 3, stdout), stdout);
  EXPECT_EQ(output.streamFor(0, 3, stderr), stderr);
  EXPECT_TRUE(output.take().text.empty());
}

TEST(PartOutput, KnowsTheFirstStatus) {
  PartOutput output(false);
  EXPECT_FALSE(PartOutput(false).take().status);

  output.end(3);
  output.end(4);

  EXPECT_EQ(output.take().status, 3);
}

TEST(PartOutput, IsUsedByManyThreadsAtOnce) {
  constexpr int kThreads = 4;
  constexpr int kLines = 1000;
  PartOutput output(false);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int line = 0; line < kLines; ++line) {
        std::fprintf(output.streamFor(0, thread, stdout), "%d.%d\n", thread, line);
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }

  std::string expected;
  for (int thread = 0; thread < kThreads; ++thread) {
    for (int line = 0; line < kLines; ++line) {
      expected += std::to_string(thread) + "." + std::to_string(line) + "\n";
    }
  }
  EXPECT_EQ(written(output.take()), expected + "|");
}

TEST(PartOutputDeathTest, IsToldByAProcessThatAborts) {
  const auto abortAfterText = [] {
    PartOutput output(false);
    std::fputs("lost otherwise\n", output.streamFor(0, 0, stderr));
    std::abort();
  };

  EXPECT_EXIT(abortAfterText(), testing::KilledBySignal(SIGABRT), "lost otherwise");
}

} // namespace

} // namespace tutti::exec
