// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A number of things that are not over, and one thread that waits for all of them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace tutti::engine {

/// Threading: `drop` from any thread, which does not touch the object any more once it may be over,
///            but for asking the kernel about its address; the rest confined to one thread.
class Countdown {
public:
  void add() { count_.fetch_add(1, std::memory_order_relaxed); }

  void drop() {
    // Pairs with the acquire in `isOver`.
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == (kAwaited | 1)) {
      wake();
    }
  }

  bool isOver() const { return (count_.load(std::memory_order_acquire) & ~kAwaited) == 0; }

  /// Sleeps until it is over, or about so long.
  void rest(std::chrono::nanoseconds most);

private:
  static constexpr std::uint32_t kAwaited = std::uint32_t{1} << 31;

  void wake();

  std::atomic<std::uint32_t> count_{0};
};

} // namespace tutti::engine
