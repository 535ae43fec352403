// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A lock for a few instructions, held by a thread that goes on running; and a hint to the
/// processor for those who wait.
#pragma once

#include "base/mutex.h"

#include <atomic>
#include <cstdint>
#include <sched.h>

namespace tutti {

/// Tells the processor that this thread waits for another one's memory.
inline void relaxProcessor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Threading: internally synchronised.
class TUTTI_CAPABILITY("mutex") SpinLock {
public:
  SpinLock() = default;
  SpinLock(const SpinLock &) = delete;
  SpinLock &operator=(const SpinLock &) = delete;

  void lock() TUTTI_ACQUIRE() {
    // Pairs with the release in `unlock`.
    while (isHeld_.exchange(true, std::memory_order_acquire)) {
      waitUntilFree();
    }
  }

  /// Whether it was free.
  bool tryLock() TUTTI_TRY_ACQUIRE(true) {
    return !isHeld_.load(std::memory_order_relaxed) &&
           !isHeld_.exchange(true, std::memory_order_acquire);
  }

  void unlock() TUTTI_RELEASE() { isHeld_.store(false, std::memory_order_release); }

private:
  void waitUntilFree() {
    // Who holds the lock may have lost its processor: there may be more threads than processors.
    constexpr std::uint32_t kPatience = 128;
    for (std::uint32_t turns = 0; isHeld_.load(std::memory_order_relaxed); ++turns) {
      if (turns < kPatience) {
        relaxProcessor();
      } else {
        sched_yield();
      }
    }
  }

  std::atomic<bool> isHeld_{false};
};

/// Holds a spin lock as long as it lives.
///
/// Threading: confined to the thread that made it.
class TUTTI_SCOPED_CAPABILITY SpinGuard {
public:
  explicit SpinGuard(SpinLock &lock) TUTTI_ACQUIRE(lock) : lock_(lock) { lock_.lock(); }

  ~SpinGuard() TUTTI_RELEASE() { lock_.unlock(); }

  SpinGuard(const SpinGuard &) = delete;
  SpinGuard &operator=(const SpinGuard &) = delete;

private:
  SpinLock &lock_;
};

} // namespace tutti
