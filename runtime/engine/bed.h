// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A thread's place to sleep.
#pragma once

#include <atomic>
#include <cstdint>

namespace tutti::engine {

/// One thread sleeps until another one wakes it; the waking may come first, and counts once.
///
/// Threading: `sleep` confined to one thread; `wake` from any thread. `wake` does not touch the
///            object any more once `sleep` may return, but for asking the kernel about its address.
class Bed {
public:
  void sleep();
  void wake();

private:
  enum : std::uint32_t { kNothing, kSleeping, kWoken };

  std::atomic<std::uint32_t> state_{kNothing};
};

/// From before it to after it, memory is in order for all threads of the process, at the cost of
/// the caller: others need no more than to keep the compiler from moving things. False where the
/// kernel cannot do that, and each side needs a fence. Source: membarrier(2),
/// MEMBARRIER_CMD_PRIVATE_EXPEDITED.
bool fenceAllThreads();

/// Whether `fenceAllThreads` works; prepares it.
bool canFenceAllThreads();

} // namespace tutti::engine
