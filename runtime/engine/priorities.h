// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The work of all workers that has a priority of its own.
#pragma once

#include "base/spin_lock.h"
#include "runtime/engine/work.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

namespace tutti::engine {

/// A heap: the largest priority first, of equal ones the newest.
///
/// Threading: internally synchronised.
/// Cost:      asking an empty one is one load.
class Priorities {
public:
  void push(Work &work) {
    const SpinGuard guard(lock_);
    heap_.push_back({work.priority, ++pushed_, &work});
    std::push_heap(heap_.begin(), heap_.end());
    count_.store(heap_.size(), std::memory_order_relaxed);
  }

  bool isEmpty() const { return count_.load(std::memory_order_relaxed) == 0; }

  /// The first, if `wants` says so of it; else null.
  template <typename Wants> Work *popIf(Wants &&wants) {
    if (isEmpty()) {
      return nullptr;
    }
    const SpinGuard guard(lock_);
    if (heap_.empty() || !wants(*heap_.front().work)) {
      return nullptr;
    }
    std::pop_heap(heap_.begin(), heap_.end());
    Work *work = heap_.back().work;
    heap_.pop_back();
    count_.store(heap_.size(), std::memory_order_relaxed);
    return work;
  }

  /// One that `wants` says so of, not always the first of these; else null.
  template <typename Wants> Work *takeIf(Wants &&wants) {
    if (isEmpty()) {
      return nullptr;
    }
    const SpinGuard guard(lock_);
    const auto at = std::find_if(heap_.begin(), heap_.end(),
                                 [&](const Entry &each) { return wants(*each.work); });
    if (at == heap_.end()) {
      return nullptr;
    }
    Work *work = at->work;
    if (at == heap_.begin()) {
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.pop_back();
    } else {
      *at = heap_.back();
      heap_.pop_back();
      std::make_heap(heap_.begin(), heap_.end());
    }
    count_.store(heap_.size(), std::memory_order_relaxed);
    return work;
  }

private:
  struct Entry {
    std::int32_t priority;
    std::uint64_t age;
    Work *work;

    bool operator<(const Entry &other) const {
      return std::pair(priority, age) < std::pair(other.priority, other.age);
    }
  };

  SpinLock lock_;
  std::vector<Entry> heap_ TUTTI_GUARDED_BY(lock_);
  std::uint64_t pushed_ TUTTI_GUARDED_BY(lock_) = 0;
  std::atomic<std::size_t> count_{0}; ///< A hint.
};

} // namespace tutti::engine
