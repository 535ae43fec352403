// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/crash.h"

#include <gtest/gtest.h>

#include <barrier>
#include <csignal>
#include <cstdint>
#include <thread>
#include <vector>

namespace tutti::memory {

namespace {

/// Writes where nothing is.
void crash() {
  volatile int *const nowhere = reinterpret_cast<int *>(std::uintptr_t{0x128});
  *nowhere = 1;
}

/// As in a program: sanitizers have a handler of their own, in whose favour ours stays away.
void installAlone() {
  std::signal(SIGSEGV, SIG_DFL);
  EXPECT_TRUE(installCrashHandler());
}

void crashInLoop() {
  setCrashContext(3, 0);
  installAlone();
  const RunningLoop loop("heat.c:12:3");
  crash();
}

void crashBehindLoop() {
  setCrashContext(0, 0);
  installAlone();
  {
    const RunningLoop loop("heat.c:12:3");
  }
  crash();
}

/// Through the second mapping of the window.
void crashThroughView() {
  setCrashContext(0, 0x100);
  installAlone();
  crash();
}

void sendSignal() {
  installAlone();
  raise(SIGSEGV);
}

/// As a loop that several threads run.
void crashInThreads() {
  installAlone();
  std::barrier together(4);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      together.arrive_and_wait();
      crash();
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
}

TEST(CrashDeathTest, SaysItOnceHoweverManyThreadsCrash) {
  for (int round = 0; round < 50; ++round) {
    EXPECT_EXIT(crashInThreads(), testing::KilledBySignal(SIGSEGV), "^tutti: [^\n]*\n$");
  }
}

TEST(CrashDeathTest, SaysWhatWasTouchedWhereAndInWhichLoop) {
  EXPECT_EXIT(crashInLoop(), testing::KilledBySignal(SIGSEGV),
              "tutti: rank 3: segmentation fault: 0x128 is written while the loop at "
              "heat.c:12:3 runs, by the instruction at 0x[0-9a-f]+ ");
}

TEST(CrashDeathTest, NamesNoLoopBehindIt) {
  EXPECT_EXIT(crashBehindLoop(), testing::KilledBySignal(SIGSEGV), "0x128 is written, by the");
}

TEST(CrashDeathTest, ShowsTheAddressThatTheProgramKnows) {
  EXPECT_EXIT(crashThroughView(), testing::KilledBySignal(SIGSEGV), "fault: 0x28 is written");
}

TEST(CrashDeathTest, SaysNothingOfSignalsThatWereSent) {
  EXPECT_EXIT(sendSignal(), testing::KilledBySignal(SIGSEGV), "^$");
}

} // namespace

} // namespace tutti::memory
