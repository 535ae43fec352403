// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A task as bytes, for another rank: its function, what it has captured, and its private copies.
/// Accesses are not in it, since the graph of the rank that made the task has put it in order.
#pragma once

#include "abi/tasks.h"
#include "runtime/graph/task_graph.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::model::tasks {

struct Task;

/// Order: before the task runs, which is described. Nothing of it may need constructors.
std::vector<std::byte> pack(const Task &task);

/// What stands in front of the rest.
struct ParcelHeader {
  tutti_task_entry entry;
  const char *source; ///< Text of the program, at the same address on all ranks.
  std::uint32_t flags;
  std::int32_t priority;
  std::uint64_t blockBytes; ///< With private copies and captured values.
  std::int64_t sharedsAt;   ///< Where in these the captured values begin; -1: nowhere.
  std::uint32_t sharedsBytes;
  std::uint32_t copies;     ///< Variables whose sizes are known at run time only.
  std::uint32_t reductions; ///< Of the language's own operations.
};

/// Memory that the task reduces, in the order of its accesses.
struct ParcelReduction {
  std::uint64_t begin; ///< Of the original, which is not there.
  std::uint64_t bytes;
  graph::ReductionKey key;

  /// In results, which lie one behind the other: each begins as any type may need it.
  static constexpr std::size_t padded(std::size_t bytes) {
    return (bytes + kAlignment - 1) & ~(kAlignment - 1);
  }

private:
  static constexpr std::size_t kAlignment = 16;
};

ParcelHeader headerOf(std::span<const std::byte> parcel);

/// Fills a task that has room for `blockBytes`. What it reduces.
std::vector<ParcelReduction> unpack(std::span<const std::byte> parcel, Task &task);

} // namespace tutti::model::tasks
