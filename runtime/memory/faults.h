// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Touches of protected pages: from the signal handler, or from a system call that is about to use
/// a buffer, to whoever brings the bytes.
#pragma once

#include "base/range.h"
#include "base/result.h"
#include "runtime/memory/protection.h"
#include "runtime/memory/window.h"

#include <atomic>
#include <csignal>
#include <cstdint>

namespace tutti::memory {

/// A thread that waits for `range` to become readable, or writable.
struct Touch {
  Range range;
  bool write = false;
  bool discards = false; ///< What whole pages hold is not needed; they become this rank's alone.
  bool isExact = false;  ///< Nothing around the range is to come along.
  Touch *next = nullptr; ///< Of a list that the queue gave out.
  std::atomic<std::uint32_t> answer{0}; ///< 1 once the thread may go on.
};

/// Touches under way.
///
/// Threading: internally synchronised; `post` and `wait` only use atomics and futexes, so that any
///            thread may be stopped anywhere.
class TouchQueue {
public:
  /// Adds `touch`, wakes the listener, and blocks until `answer`.
  void await(Touch &touch);

  /// Lets the thread behind `touch` go on; `touch` is gone afterwards.
  static void answer(Touch &touch);

  /// All touches posted since the last call, oldest first; null if there are none.
  Touch *take();

  bool isEmpty() const { return newest_.load(std::memory_order_relaxed) == nullptr; }

  /// Sleeps until `wake`, a touch, or the time is over. One listener at a time.
  void listen(std::uint32_t nanoseconds);

  void wake();

private:
  std::atomic<Touch *> newest_{nullptr};
  std::atomic<std::uint32_t> signals_{0};
  std::uint32_t heard_ = 0; ///< The listener's.
};

/// From now on a touch of a protected page of `window` waits in `queue`; any other memory fault is
/// for the program's action, which is the kernel's default at first. Also gives the calling thread
/// a stack for signals, since it may fault on its own stack.
///
/// Order:     again only with another queue, before any page is protected. All three live until the
///            process ends.
/// Errors:    SystemFailed.
Status installFaultHandler(const Window &window, const PageTable &pages, TouchQueue &queue);

/// From now on every memory fault is for the program's action.
void removeFaultHandler();

/// Whether touches are waited for: then `sigaction` is to leave SIGSEGV to the next function.
bool isFaultHandlerInstalled();

/// What `sigaction` does for SIGSEGV, as far as the program can tell: sets its action for what is
/// no touch of a protected page. Either may be null.
///
/// Threading: any.
void exchangeFaultAction(const struct sigaction *action, struct sigaction *before);

/// Faults that led to a touch so far.
std::uint64_t faultCount();

} // namespace tutti::memory
