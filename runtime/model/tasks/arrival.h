// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tasks that other ranks have made, on the rank that runs them.
#pragma once

#include "runtime/model/tasks/parcel.h"
#include "runtime/model/tasks/task.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace tutti::model::tasks {

/// What such a task has at the end of its memory.
struct Arrival {
  /// Called when the task is over, with what it has reduced, and how long it has taken since it
  /// began to run.
  using WhenOver = std::function<void(std::vector<std::byte> results, double seconds)>;

  WhenOver whenOver;
  std::vector<ParcelReduction> reductions;
  std::vector<std::byte> copies; ///< Of what it reduces, one behind the other.
  std::chrono::steady_clock::time_point begin;

  static Arrival *&of(Task &task) {
    return *reinterpret_cast<Arrival **>(reinterpret_cast<std::byte *>(&task) +
                                         engine::Pool::bytesOf(&task) - sizeof(Arrival *));
  }

  /// The copies begin neutral.
  void makeCopies();

  /// The task is over. Ownership: of what it has here ends.
  static void end(Task &task);

  /// The copy of a byte below a task that reduces it and came from another rank, for which that is
  /// the original; else the byte itself.
  static std::uint64_t standInFor(const Task &task, std::uint64_t byte);
};

} // namespace tutti::model::tasks
