// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The life of tasks that run on another rank than the one that made them.
#include "runtime/model/tasks/parcel.h"
#include "runtime/model/tasks/tasks.h"

#include <memory>
#include <utility>

namespace tutti::model::tasks {

// --- On the rank that has made the task ---

void Tasks::setRanks(Ranks &ranks) {
  RemoteClient &self = *this;
  remote_ = std::make_unique<RemoteTasks>(self, ranks, slots_);
  engine_.startPolling();
}

bool Tasks::reduces(Task &task) {
  const bool areKnown = reductions_.areAllKnown(task);
  settleEnded();
  return areKnown;
}

void Tasks::addResults(Task &task, std::span<const std::byte> results) {
  reductions_.addResults(task, results);
  settleEnded();
}

// --- On the rank that runs it ---

void Tasks::arrive(std::span<const std::byte> parcel, WhenOver whenOver) {
  Task &task = newTask(root_, headerOf(parcel).blockBytes, sizeof(Arrival *));
  auto arrival = std::make_unique<Arrival>();
  arrival->whenOver = std::move(whenOver);
  arrival->reductions = unpack(parcel, task);
  arrival->makeCopies();
  if (!arrival->reductions.empty()) {
    reductions_.noteArrival();
  }
  task.flags |= kArrived;
  Arrival::of(task) = arrival.release();
  root_.alive.fetch_add(1, std::memory_order_relaxed);
  engine_.submit(task.work);
}

} // namespace tutti::model::tasks
