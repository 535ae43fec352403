// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A number that one thread counts up, and any thread may look at.
#pragma once

#include <atomic>
#include <cstdint>

namespace tutti {

class Count {
public:
  /// By its thread alone.
  void operator++() {
    value_.store(value_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  operator std::uint64_t() const { return value_.load(std::memory_order_relaxed); }

private:
  std::atomic<std::uint64_t> value_ = 0;
};

} // namespace tutti
