// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Something that happens once, and one who waits for it.
#pragma once

#include "runtime/engine/parked.h"

#include <atomic>
#include <cstdint>

namespace tutti::engine {

/// Threading: `wait` confined to the thread that made it; `set` once, from any thread, which does
/// not
///            touch it any more once `wait` may return.
class Latch {
public:
  void set() {
    // Pairs with the exchange in `wait`.
    if (state_.exchange(kSet, std::memory_order_acq_rel) == kWaiting) {
      parked_.resume();
    }
  }

  void wait() {
    if (state_.load(std::memory_order_acquire) != kSet &&
        state_.exchange(kWaiting, std::memory_order_acq_rel) != kSet) {
      parked_.wait();
    }
  }

private:
  enum : std::uint32_t { kNothing, kWaiting, kSet };

  std::atomic<std::uint32_t> state_{kNothing};
  Parked parked_;
};

} // namespace tutti::engine
