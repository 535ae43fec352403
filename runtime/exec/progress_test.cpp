// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The lock that a rank's threads share, with several of them at it at once.
#include "runtime/exec/progress.h"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <thread>
#include <vector>

namespace tutti::exec {

namespace {

constexpr int kThreads = 4;

class ProgressTest : public testing::Test {
protected:
  /// Polls what `moved_` counts.
  void start() {
    progress_.start(
        [this]() TUTTI_IN_TURN {
          ++polls_;
          if (wanted_ == moved_) {
            return false;
          }
          ++moved_;
          return true;
        },
        [this]() TUTTI_IN_TURN { return isBusy_; }, [this]() TUTTI_IN_TURN { ++watched_; });
  }

  template <typename Run> static void onThreads(Run &&run) {
    std::vector<std::thread> threads;
    for (int index = 0; index < kThreads; ++index) {
      threads.emplace_back(run);
    }
    for (std::thread &thread : threads) {
      thread.join();
    }
  }

  memory::TouchQueue queue_;
  Progress progress_{queue_, true};
  // Nothing but the lock keeps these right.
  std::uint64_t polls_ TUTTI_GUARDED_BY(kTurn) = 0;
  std::uint64_t watched_ TUTTI_GUARDED_BY(kTurn) = 0;
  std::uint64_t wanted_ TUTTI_GUARDED_BY(kTurn) = 0;
  std::uint64_t moved_ TUTTI_GUARDED_BY(kTurn) = 0;
  bool isBusy_ TUTTI_GUARDED_BY(kTurn) = false;
};

TEST_F(ProgressTest, LetsEveryWaitingThreadSeeWhatItWaitsFor) {
  constexpr std::uint64_t kRounds = 200;
  start();

  onThreads([this] {
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      Progress::Lock lock(progress_);
      const std::uint64_t mine = ++wanted_;
      progress_.waitUntil(lock, [&]() TUTTI_IN_TURN { return moved_ >= mine; });
    }
  });

  progress_.stop();
  const Progress::Lock lock(progress_);
  EXPECT_EQ(moved_, kThreads * kRounds);
}

TEST_F(ProgressTest, MovesThingsOnWhileNobodyWaits) {
  start();
  std::uint64_t moved = 0;
  {
    const Progress::Lock lock(progress_);
    wanted_ = 100;
    isBusy_ = true;
  }
  queue_.wake();

  while (moved < 100) {
    std::this_thread::yield();
    const Progress::Lock lock(progress_);
    moved = moved_;
  }

  progress_.stop();
  EXPECT_EQ(moved, 100U);
}

TEST_F(ProgressTest, LooksAfterTheRestWhileNothingIsUnderWay) {
  start();
  std::uint64_t watched = 0;

  while (watched < 2) {
    std::this_thread::yield();
    const Progress::Lock lock(progress_);
    watched = watched_;
  }

  progress_.stop();
}

TEST_F(ProgressTest, LetsOthersInWhileTheLockIsGivenAway) {
  start();
  Progress::Lock lock(progress_);
  const std::uint64_t before = wanted_;

  progress_.giveAway(lock, [this] {
    onThreads([this] {
      const Progress::Lock inner(progress_);
      ++wanted_;
    });
  });

  EXPECT_EQ(wanted_, before + kThreads);
  progress_.waitUntil(lock, [this]() TUTTI_IN_TURN { return moved_ == wanted_; });
  lock.unlock();
  progress_.stop();
}

TEST_F(ProgressTest, WaitsWithoutTheThread) {
  start();
  progress_.stop();

  Progress::Lock lock(progress_);
  wanted_ += 10;
  progress_.waitUntil(lock, [this]() TUTTI_IN_TURN { return moved_ == wanted_; });

  EXPECT_EQ(moved_, wanted_);
}

TEST_F(ProgressTest, StartsAgainAfterItsEnd) {
  for (int round = 0; round < 20; ++round) {
    start();
    {
      Progress::Lock lock(progress_);
      ++wanted_;
      progress_.waitUntil(lock, [this]() TUTTI_IN_TURN { return moved_ == wanted_; });
    }
    progress_.stop();
  }
  const Progress::Lock lock(progress_);
  EXPECT_EQ(moved_, 20U);
}

/// Times that the calling thread has gone to sleep.
long sleeps() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

TEST(ProgressOfTouches, DoesNotSleepWhileAThreadWaitsForWhatItHasTouched) {
  constexpr int kPolls = 4000;
  memory::TouchQueue queue;
  Progress progress(queue, false);
  memory::Touch *waiting = nullptr;
  int polls = 0;
  long before = 0;
  long slept = 0;
  std::thread program([&] {
    memory::Touch touch;
    queue.await(touch);
  });
  while (queue.isEmpty()) {
    std::this_thread::yield();
  }
  progress.start(
      [&] {
        if (!waiting) {
          waiting = queue.take();
          before = sleeps();
          return waiting != nullptr;
        }
        if (++polls < kPolls) {
          return false;
        }
        slept = sleeps() - before;
        memory::TouchQueue::answer(*waiting);
        waiting = nullptr;
        return true;
      },
      [&] { return waiting != nullptr; }, [] {});

  program.join();
  progress.stop();

  EXPECT_EQ(polls, kPolls);
  EXPECT_LT(slept, kPolls / 10) << "nobody else wants the lock";
}

} // namespace

} // namespace tutti::exec
