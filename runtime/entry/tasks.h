// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The tasks of this process: there are workers from the first use on, and none in programs that
/// make no tasks.
#pragma once

#include "runtime/entry/settings.h"
#include "runtime/model/tasks/openmp.h"
#include "runtime/trace/verdict.h"

#include <atomic>

namespace tutti::entry {

namespace detail {
extern std::atomic<model::tasks::Tasks *> theTasks;
model::tasks::Tasks &startTasks();
} // namespace detail

/// From any thread.
inline bool hasTasks() {
  return model::tasks::OpenMp::here() ||
         detail::theTasks.load(std::memory_order_acquire) != nullptr;
}

/// In a team of OpenMP those of the team, else those of the process. Starts the workers if there
/// are none; from any thread.
inline model::tasks::Tasks &tasks() {
  if (model::tasks::OpenMp *openmp = model::tasks::OpenMp::here()) {
    return openmp->tasks();
  }
  model::tasks::Tasks *tasks = detail::theTasks.load(std::memory_order_acquire);
  return tasks ? *tasks : detail::startTasks();
}

/// How many workers there are to be: TUTTI_WORKERS, or 0 for as many as processors. Before user
/// code.
void setWorkers(std::uint32_t workers);

/// The process's main thread has other things to do than to run tasks. Before the first of them.
void keepMainOutOfTasks();

/// Of TUTTI_WORKERS, or 0.
std::uint32_t wishedWorkers();

/// Tasks for a team of OpenMP of so many threads, which are the caller's until `giveBackTeam`.
model::tasks::OpenMp &takeTeam(std::uint32_t threads);
void giveBackTeam(model::tasks::OpenMp &team);

/// Waits until all tasks are over, if it is the main task that ends the process.
void finishTasks();

/// Whether the calling thread runs a task other than `main`.
bool isInTask();

/// How many there have been, and how many of them have run on other ranks.
trace::TaskCounts countedTasks();

/// One line about what tasks did, if there were any.
void reportTasks(Stats stats);

} // namespace tutti::entry
