// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Variables of which a task has a copy that the compiler did not make: their sizes are known at
/// run time only (abi/tasks.h, `tutti_task_copy`).
#pragma once

#include "abi/tasks.h"

#include <cstddef>
#include <functional>

namespace tutti::model::tasks {

struct VariableCopy;

/// The copies of one task. As small as nothing for the many tasks that have none.
///
/// Threading: externally synchronised.
class VariableCopies {
public:
  VariableCopies() = default;
  VariableCopies(const VariableCopies &) = delete;
  VariableCopies &operator=(const VariableCopies &) = delete;

  ~VariableCopies() { clear(); }

  /// Every word of `block`'s shareds that is the variable's address becomes that of a copy. Without
  /// such a word there is none.
  void add(tutti_task_block &block, std::size_t sharedsBytes, const volatile void *variable,
           std::size_t bytes, bool isInitialised);

  /// The same, with the bytes from elsewhere; null: it is not initialised.
  void addAs(tutti_task_block &block, std::size_t sharedsBytes, const volatile void *variable,
             std::size_t bytes, const void *from);

  /// The same for all that another task has, whose shareds `block` has taken over.
  void addAll(tutti_task_block &block, std::size_t sharedsBytes, const VariableCopies &others);

  /// Calls `visit(const void *data, std::size_t bytes, bool isInitialised)`.
  void forEach(const std::function<void(const void *, std::size_t, bool)> &visit) const;

  bool isEmpty() const { return first_ == nullptr; }

  void clear();

private:
  VariableCopy *first_ = nullptr;
};

} // namespace tutti::model::tasks
