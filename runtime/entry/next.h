// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The functions behind those that this library puts itself in front of.
#pragma once

#include <atomic>
#include <dlfcn.h>

namespace tutti::entry {

/// The next definition of `name` behind this library; `F` is its pointer type.
template <typename F> F next(const char *name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

/// The same, looked up when it is needed, which may be before any constructor has run.
///
/// Threading: from any thread.
template <typename F> class Next {
public:
  constexpr explicit Next(const char *name) : name_(name) {}

  F get() {
    F function = function_.load(std::memory_order_relaxed);
    if (!function) {
      function = next<F>(name_);
      function_.store(function, std::memory_order_relaxed);
    }
    return function;
  }

private:
  const char *name_;
  std::atomic<F> function_{nullptr};
};

} // namespace tutti::entry
