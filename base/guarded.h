// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Data that can be reached only through its lock.
#pragma once

#include <mutex>
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

  /// Exclusive access; movable, so that a helper can hand it on.
  class Handle {
  public:
    T &operator*() const { return *value_; }

    T *operator->() const { return value_; }

    /// For waiting on a condition variable.
    std::unique_lock<std::mutex> &lock() { return lock_; }

  private:
    friend class Guarded;

    Handle(std::mutex &mutex, T &value) : lock_(mutex), value_(&value) {}

    std::unique_lock<std::mutex> lock_;
    T *value_;
  };

  Handle lock() { return Handle(mutex_, value_); }

private:
  std::mutex mutex_;
  T value_;
};

} // namespace tutti
