// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tasks that are nobody's children.
#pragma once

#include "abi/tasks.h"

namespace tutti::model::tasks {

/// What such a task has behind its block.
struct Spawned {
  void (*body)(void *);
  void *argument;
  void (*then)(void *); ///< Once it is over; null for nothing.
  void *thenArgument;

  static Spawned &of(tutti_task_block &block) { return *reinterpret_cast<Spawned *>(&block + 1); }

  void end() const {
    if (then) {
      then(thenArgument);
    }
  }
};

} // namespace tutti::model::tasks
