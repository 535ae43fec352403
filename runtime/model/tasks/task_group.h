// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Groups of OpenMP tasks: who waits for all tasks of one, and what they reduce.
#pragma once

#include "abi/openmp.h"
#include "runtime/engine/countdown.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::model::tasks {

/// A variable that tasks reduce, with a copy for each worker that needs one.
///
/// Threading: `copyFor` by each worker for itself, `isCopy` from any; else by who has the group.
class TaskReduction {
public:
  TaskReduction(const omp_task_reduction &what, std::uint32_t workers);
  TaskReduction(TaskReduction &&) = default;
  TaskReduction(const TaskReduction &) = delete;
  TaskReduction &operator=(const TaskReduction &) = delete;
  ~TaskReduction() = default;

  /// Whether `item` is the variable, or somebody's copy of it.
  bool is(const void *item) const;
  void *copyFor(std::uint32_t worker);
  /// Adds all copies to the variable, and gives them back.
  void combine();

private:
  omp_task_reduction what_;
  std::vector<std::atomic<std::byte *>> copies_;
};

/// Threading: tasks are added by running tasks of the group, and dropped by any.
struct TaskGroup {
  engine::Countdown tasks; ///< That are not complete.
  std::atomic<bool> isCancelled{false};
  TaskGroup *outer = nullptr;
  std::vector<TaskReduction> reductions;
};

} // namespace tutti::model::tasks
