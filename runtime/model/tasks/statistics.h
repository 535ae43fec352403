// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the tasks of a run did, in numbers.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tutti::model::tasks {

struct Statistics {
  std::uint64_t workers = 0; ///< At a time, at most.
  std::uint64_t created = 0; ///< Of those that workers make.
  std::uint64_t run = 0;
  std::uint64_t stolen = 0;
  std::uint64_t blocked = 0;     ///< Times that a worker has left a stack to a task.
  std::uint64_t stacks = 0;      ///< Ever made.
  std::uint64_t allocations = 0; ///< Of memory for tasks, from the general heap.
  std::uint64_t lookups = 0;     ///< Of regions that tasks name, by their memory.
  std::uint64_t replayed = 0;    ///< Tasks that wait as those of an earlier iteration did.

  /// Of other workers.
  void add(const Statistics &other) {
    workers = std::max(workers, other.workers);
    created += other.created;
    run += other.run;
    stolen += other.stolen;
    blocked += other.blocked;
    stacks += other.stacks;
    allocations += other.allocations;
    lookups += other.lookups;
    replayed += other.replayed;
  }
};

} // namespace tutti::model::tasks
