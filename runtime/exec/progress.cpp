// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/progress.h"

#include "base/quiet_thread.h"

#include <ctime>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>

namespace tutti::exec {

namespace {

/// For each spin: some milliseconds where threads spin. Who sleeps wakes up to 100 microseconds
/// late, which must be little of what it has waited: many a kernel takes less than a millisecond.
constexpr std::uint32_t kYieldsPerSpin = 20;
constexpr long kSleepNanoseconds = 50'000;
/// After so many sleeps nothing is expected soon: longer ones.
constexpr std::uint32_t kSleeps = 20'000;
constexpr long kLongSleepNanoseconds = 500'000;
/// Polls without result before the thread sleeps, where threads spin and where they do not.
constexpr std::uint32_t kPolls = 100;
constexpr std::uint32_t kCrowdedPolls = 2;
/// The same where a thread of the program sleeps until it has what it has touched: what that thread
/// would do if it waited by itself (`Backoff`).
constexpr std::uint32_t kAwaitedPolls = 8'000;
constexpr std::uint32_t kAwaitedCrowdedPolls = 80;
/// How long the thread sleeps when nothing is under way, or somebody else polls.
constexpr std::uint32_t kIdleNanoseconds = 2'000'000;
constexpr std::uint32_t kBusyNanoseconds = 50'000;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

} // namespace

void Backoff::pause() {
  ++rounds_;
  const std::uint32_t eager = spins_ * (1 + kYieldsPerSpin);
  if (rounds_ <= spins_) {
    relax();
  } else if (rounds_ <= eager) {
    sched_yield();
  } else {
    const bool isLong = rounds_ > eager + kSleeps;
    const timespec time{0, isLong ? kLongSleepNanoseconds : kSleepNanoseconds};
    nanosleep(&time, nullptr);
  }
}

Progress::Lock::Lock(Progress &progress) : progress_(progress) { lock(); }

Progress::Lock::~Lock() {
  if (isHeld_) {
    progress_.mutex_.unlock();
  }
}

void Progress::Lock::lock() {
  progress_.wanting_.fetch_add(1, std::memory_order_relaxed);
  progress_.mutex_.lock();
  progress_.wanting_.fetch_sub(1, std::memory_order_relaxed);
  isHeld_ = true;
}

void Progress::Lock::unlock() {
  isHeld_ = false;
  progress_.mutex_.unlock();
}

Progress::Waiting::~Waiting() {
  if (progress_.waiting_.fetch_sub(1, std::memory_order_relaxed) > 1) {
    return;
  }
  // Most waits leave nothing behind: no system call for them.
  if (progress_.isBusy_() || !progress_.queue_.isEmpty()) {
    progress_.queue_.wake();
  }
}

void Progress::start(Poll poll, IsBusy isBusy, Watch watch) {
  poll_ = std::move(poll);
  isBusy_ = std::move(isBusy);
  watch_ = std::move(watch);
  isStopping_ = false;
  thread_ = startQuietThread([this] { run(); });
}

void Progress::stop() {
  if (thread_.joinable()) {
    isStopping_ = true;
    queue_.wake();
    thread_.join();
  }
}

void Progress::run() {
  prctl(PR_SET_TIMERSLACK, 1000UL, 0, 0, 0);
  pthread_setname_np(pthread_self(), "tutti-progress");
  const std::uint32_t eager = isCrowded_ ? kCrowdedPolls : kPolls;
  const std::uint32_t eagerIfAwaited = isCrowded_ ? kAwaitedCrowdedPolls : kAwaitedPolls;
  std::uint32_t quiet = 0;
  bool isAwaited = false; // A touch has come since something is under way.
  while (!isStopping_) {
    if (waiting_.load(std::memory_order_relaxed) > 0) {
      queue_.listen(kIdleNanoseconds);
      quiet = 0;
      continue;
    }
    if (wanting_.load(std::memory_order_relaxed) > 0) {
      sched_yield();
      continue;
    }
    bool moved = false;
    bool isBusy = false;
    isAwaited = isAwaited || !queue_.isEmpty();
    {
      const Lock lock(*this);
      moved = poll_();
      isBusy = isBusy_();
      if (!isBusy) {
        watch_();
      }
    }
    quiet = moved ? 0 : quiet + 1;
    if (!isBusy) {
      isAwaited = false;
      queue_.listen(kIdleNanoseconds);
    } else if (quiet > (isAwaited ? eagerIfAwaited : eager)) {
      queue_.listen(kBusyNanoseconds);
    } else if (quiet > eager) {
      sched_yield();
    }
  }
}

} // namespace tutti::exec
