// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What reductions do with the elements of a type.
#pragma once

#include "runtime/graph/task_graph.h"

#include <cstddef>
#include <cstdint>

namespace tutti::model::tasks {

/// Threading: immutable.
struct Operation {
  std::size_t element = 0;
  /// For `count` elements; null if the type has no such operation.
  void (*fill)(void *copy, std::size_t count) = nullptr;
  void (*fold)(void *original, const void *copy, std::size_t count) = nullptr;
  /// The program's own, in their place, for one element.
  void (*initializeOne)(void *copy, void *original) = nullptr;
  void (*combineOne)(void *original, void *copy) = nullptr;

  void initialize(std::byte *copy, std::byte *original, std::size_t bytes) const;
  void combine(std::byte *original, std::byte *copy, std::size_t bytes) const;
};

/// Of one of tutti_reduction_operations on one of tutti_reduction_types. False if there is none.
bool isOperation(std::uint32_t operation, std::uint32_t type);

graph::ReductionKey keyOf(std::uint32_t operation, std::uint32_t type);

/// Of functions of the program; `initialize` may be null: zeros.
///
/// Threading: from any thread.
graph::ReductionKey keyOf(std::size_t element, void (*initialize)(void *, void *),
                          void (*combine)(void *, void *));

/// What the key was made of.
Operation operationOf(const graph::ReductionKey &key);

} // namespace tutti::model::tasks
