// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The tasks of this process: there are workers from the first use on, and none in programs that
/// make no tasks.
#pragma once

#include "runtime/entry/settings.h"

#include <atomic>

namespace tutti::model::tasks {
class Tasks;
}

namespace tutti::entry {

namespace detail {
extern std::atomic<model::tasks::Tasks *> theTasks;
model::tasks::Tasks &startTasks();
} // namespace detail

/// From any thread.
inline bool hasTasks() { return detail::theTasks.load(std::memory_order_acquire) != nullptr; }

/// Starts the workers if there are none; from any thread.
inline model::tasks::Tasks &tasks() {
  model::tasks::Tasks *tasks = detail::theTasks.load(std::memory_order_acquire);
  return tasks ? *tasks : detail::startTasks();
}

/// How many workers there are to be: TUTTI_WORKERS, or 0 for as many as processors. Before user
/// code.
void setWorkers(std::uint32_t workers);

/// Waits until all tasks are over, if it is the main task that ends the process.
void finishTasks();

/// Whether the calling thread runs a task other than `main`.
bool isInTask();

/// One line about what tasks did, if there were any.
void reportTasks(Stats stats);

} // namespace tutti::entry
