// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/bed.h"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tutti::engine {

void Bed::sleep() {
  std::uint32_t state = kNothing;
  // Pairs with the release in `wake`.
  if (state_.compare_exchange_strong(state, kSleeping, std::memory_order_acquire)) {
    do {
      syscall(SYS_futex, &state_, FUTEX_WAIT_PRIVATE, std::uint32_t{kSleeping}, nullptr, nullptr,
              0);
    } while (state_.load(std::memory_order_acquire) == kSleeping);
  }
  state_.store(kNothing, std::memory_order_relaxed);
}

void Bed::wake() {
  if (state_.exchange(kWoken, std::memory_order_acq_rel) == kSleeping) {
    syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
}

bool canFenceAllThreads() {
#if defined(__SANITIZE_THREAD__)
  return false;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
  return false; // It sees what threads do themselves.
#endif
#endif
  static const bool can =
      syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
  return can;
}

bool fenceAllThreads() {
  return canFenceAllThreads() &&
         syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

} // namespace tutti::engine
