// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Something that waits in the middle of a function, and holds no worker meanwhile.
#pragma once

#include "runtime/engine/bed.h"

namespace tutti::engine {

class Stack;
class Worker;

/// Lies on the stack of who waits. On a worker the stack is left, and the worker goes on with other
/// work; a thread that is none sleeps.
///
/// Threading: `wait` confined to the thread that made it; `resume` once, from any thread, before
///            `wait` or after. Nothing is touched any more once `wait` may return.
class Parked {
public:
  Parked();
  Parked(const Parked &) = delete;
  Parked &operator=(const Parked &) = delete;

  /// Until `resume`. Goes on in the same thread. What belongs to who waits and not to the thread
  /// comes back with it: errno, exceptions in flight, floating point control words.
  void wait();

  void resume();

private:
  friend class Worker;

  Worker *home_;           ///< Null for other threads.
  Stack *stack_ = nullptr; ///< Where it waits.
  Parked *next_ = nullptr; ///< In its worker's list.
  Bed bed_;                ///< Of other threads.
};

} // namespace tutti::engine
