// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Wakes who waits for a time; by one thread, which is there from the first use on.
#pragma once

#include "base/mutex.h"
#include "runtime/engine/latch.h"

#include <chrono>
#include <queue>
#include <thread>
#include <vector>

namespace tutti::engine {

/// Threading: internally synchronised.
class Timers {
public:
  using Clock = std::chrono::steady_clock;

  Timers() = default;
  Timers(const Timers &) = delete;
  Timers &operator=(const Timers &) = delete;
  /// Order: nobody waits.
  ~Timers();

  /// Sets the latch at that time.
  void setAt(Clock::time_point time, Latch &latch) TUTTI_EXCLUDES(mutex_);

private:
  struct Entry {
    Clock::time_point time;
    Latch *latch;

    bool operator>(const Entry &other) const { return time > other.time; }
  };

  void serve();

  Mutex mutex_;
  Condition changed_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> entries_ TUTTI_GUARDED_BY(mutex_);
  bool isEnding_ TUTTI_GUARDED_BY(mutex_) = false;
  std::thread thread_ TUTTI_GUARDED_BY(mutex_);
};

} // namespace tutti::engine
