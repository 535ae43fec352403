// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Data that can be reached only through its lock.
#pragma once

#include "base/mutex.h"

#include <utility>

namespace tutti {

/// A `T` and its mutex. `lock()` gives a handle that acts as a pointer to the
/// value and unlocks when it dies: `auto state = state_.lock();
/// state->count++;`.
///
/// Threading: internally synchronised.
template <typename T> class Guarded {
public:
  template <typename... Args>
  explicit Guarded(Args &&...args) : value_(std::forward<Args>(args)...) {}

  /// Exclusive access.
  class TUTTI_SCOPED_CAPABILITY Handle {
  public:
    explicit Handle(Guarded &guarded) TUTTI_ACQUIRE(guarded.mutex_)
        : lock_(guarded.mutex_), value_(guarded.value_) {}

    ~Handle() TUTTI_RELEASE() = default;

    Handle(const Handle &) = delete;
    Handle &operator=(const Handle &) = delete;

    T &operator*() const { return value_; }

    T *operator->() const { return &value_; }

  private:
    ScopedLock lock_;
    T &value_;
  };

  // Not analysed: the analysis does not see that what is returned goes on holding.
  Handle lock() TUTTI_ACQUIRE(mutex_) TUTTI_NO_THREAD_SAFETY_ANALYSIS { return Handle(*this); }

private:
  Mutex mutex_;
  T value_ TUTTI_GUARDED_BY(mutex_);
};

} // namespace tutti
