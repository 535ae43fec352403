// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/countdown.h"

#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tutti::engine {

void Countdown::rest(std::chrono::nanoseconds most) {
  const std::uint32_t count = count_.fetch_or(kAwaited, std::memory_order_acquire) | kAwaited;
  if (count != kAwaited) {
    const timespec time{.tv_sec = 0, .tv_nsec = most.count()};
    syscall(SYS_futex, &count_, FUTEX_WAIT_PRIVATE, count, &time, nullptr, 0);
  }
  count_.fetch_and(~kAwaited, std::memory_order_relaxed);
}

void Countdown::wake() { syscall(SYS_futex, &count_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0); }

} // namespace tutti::engine
