// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The private copies that tasks reduce into: one for each worker that needs one.
#pragma once

#include "runtime/graph/task_graph.h"
#include "runtime/model/tasks/operation.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tutti::model::tasks {

/// Copies of the memory of one group of reductions.
///
/// Threading: externally synchronised; `of` from the slot's worker beside `offsetOf`.
class Copies {
public:
  Copies(graph::ReductionGroup &group, std::uint32_t slots);
  Copies(const Copies &) = delete;
  Copies &operator=(const Copies &) = delete;
  ~Copies();

  /// The copy of that slot; it is neutral if nobody has had it.
  std::byte *of(std::uint32_t slot);

  /// Where in one of the copies a byte lies; nothing if it lies in none.
  std::optional<std::size_t> offsetOf(std::uint64_t byte) const;

  /// Adds all copies to the original.
  void combine();

private:
  const Operation operation_;
  std::byte *original_;
  std::size_t bytes_;
  std::vector<std::byte *> slots_;
};

} // namespace tutti::model::tasks
