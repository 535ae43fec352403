// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A lock that tasks wait for without holding a worker.
#pragma once

#include "base/mutex.h"
#include "base/spin_lock.h"
#include "runtime/engine/parked.h"

#include <memory>
#include <vector>

namespace tutti::model::tasks {

/// Goes from hand to hand in the order of asking.
///
/// Threading: from any thread; given back by the thread that has it.
class Critical {
public:
  void enter();
  void leave();

private:
  /// Lies on the stack of who waits.
  struct Waiter {
    engine::Parked parked;
    Waiter *next = nullptr;
  };

  SpinLock lock_;
  bool isTaken_ TUTTI_GUARDED_BY(lock_) = false;
  Waiter *first_ TUTTI_GUARDED_BY(lock_) = nullptr;
  Waiter *last_ TUTTI_GUARDED_BY(lock_) = nullptr;
};

/// Those that the program names by words of its own.
///
/// Threading: internally synchronised.
class Criticals {
public:
  /// The one to which the word leads, which is null at its start.
  Critical &of(void **word) TUTTI_EXCLUDES(mutex_);

private:
  Mutex mutex_;
  std::vector<std::unique_ptr<Critical>> all_ TUTTI_GUARDED_BY(mutex_);
};

} // namespace tutti::model::tasks
