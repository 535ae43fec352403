// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tasks that wait for something else than what they name: their workers run others meanwhile.
#pragma once

#include "runtime/engine/timers.h"
#include "runtime/model/tasks/suspensions.h"
#include "runtime/model/tasks/task.h"

#include <cstdint>

namespace tutti::model::tasks {

/// Threading: by the task that waits; `unblock` from any thread.
class Blocking {
public:
  /// Waits until `unblock` has been called once more than this.
  static void block(Task &task);
  static void unblock(Task &task);

  /// About so many nanoseconds. What else may go on has its turn.
  void sleep(std::uint64_t nanoseconds);

  /// Until what is bound to the task has happened, but for the end of its body.
  static void waitForEvents(Task &task);

  /// Between two calls of the task's body: until it is to go on.
  void wait(Task &task, const Suspension &suspension);

private:
  static void giveTurn();

  engine::Timers timers_; ///< Whose thread uses the engine.
};

} // namespace tutti::model::tasks
