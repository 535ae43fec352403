// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Locks what programs allocate in large pieces before devices need it: once
/// the program has touched a block, in a thread of its own, beside the program
/// (docs/adr/0066).
#pragma once

#include "base/mutex.h"
#include "base/range.h"
#include "runtime/exec/locked_memory.h"
#include "runtime/memory/window.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <thread>
#include <vector>

namespace tutti::exec {

/// Threading: internally synchronised.
/// Ownership: the window and what is locked outlive it.
class LockAhead {
public:
  /// Allocations of less are not worth a note.
  static constexpr std::uint64_t kLeastBytes = std::uint64_t{1} << 20;

  /// For all devices of the process that lock memory, if any.
  LockAhead(const memory::Window &window, std::vector<LockedMemory *> devices)
      : window_(window), devices_(std::move(devices)) {}

  ~LockAhead() { stop(); }

  LockAhead(const LockAhead &) = delete;
  LockAhead &operator=(const LockAhead &) = delete;

  /// Notes memory that the program has got. Its pages are locked when all of a
  /// block has been touched, and as long as the devices are open: memory that
  /// is freed stays in the heap.
  void allocated(Range bytes);

  /// Locks nothing from then on. Cost: waits for what is being locked.
  void stop();

private:
  void run();
  bool isTouched(const RangeSet &bytes) const;
  bool isPresent(Range pages) const;

  const memory::Window &window_;
  const std::vector<LockedMemory *> devices_;
  Mutex mutex_;
  Condition changed_;
  std::map<std::uint64_t, RangeSet> allocated_ TUTTI_GUARDED_BY(mutex_); ///< By block.
  std::set<std::uint64_t> waiting_ TUTTI_GUARDED_BY(mutex_);             ///< Blocks to be locked.
  std::chrono::milliseconds pause_ TUTTI_GUARDED_BY(mutex_){};
  std::thread thread_ TUTTI_GUARDED_BY(mutex_);
  std::atomic<bool> isEnding_ = false; ///< Guards nothing.
};

} // namespace tutti::exec
