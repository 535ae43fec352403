// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What tasks reduce: which copy of it each worker has, and what other ranks bring.
#pragma once

#include "runtime/model/tasks/task.h"
#include "runtime/model/tasks/task_order.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tutti::model::tasks {

/// Copies hang on groups of the graph, which are combined when these are over.
///
/// Threading: internally synchronised. Changes nothing of the graph, but has its lock for moments:
///            whoever asks looks for ends that others have left behind that.
class Reductions {
public:
  /// `workers` at most, whose copies come first; behind them stand those of other ranks.
  Reductions(TaskOrder &order, std::uint32_t workers) : order_(order), workers_(workers) {}

  Reductions(const Reductions &) = delete;
  Reductions &operator=(const Reductions &) = delete;

  /// The byte of which `current`, or a task that it is below of, has this copy; else itself.
  std::uint64_t originalOf(Task &current, std::uint64_t byte);

  /// The calling worker's copy of a byte that `current`, its task, reduces; else the original.
  void *privateOf(Task &current, void *original);

  /// Whether the graph takes all that the task reduces for reductions.
  bool areAllKnown(Task &task);

  /// What the task has reduced on another rank joins the copies of the group as those of one more
  /// worker.
  void addResults(Task &task, std::span<const std::byte> results);

  /// A task has come from another rank that reduces.
  void noteArrival() { haveArrived_.store(true, std::memory_order_relaxed); }

  bool haveArrived() const { return haveArrived_.load(std::memory_order_relaxed); }

  /// What the task names below one that has come from another rank is meant for the copies there.
  static void move(Task &task);

private:
  /// Null if the task does not reduce the byte.
  graph::ReductionGroup *groupOf(Task &task, std::uint64_t byte);

  TaskOrder &order_;
  const std::uint32_t workers_;
  std::atomic<bool> haveArrived_{false};
};

} // namespace tutti::model::tasks
