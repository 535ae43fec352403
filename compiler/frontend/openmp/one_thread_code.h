// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Code of a parallel construct that one thread of the team executes for all: `single`, `master`,
/// `masked`.
#pragma once

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Dominators.h"

namespace tutti::compiler::openmp {

/// Which code of a function only one thread executes.
class OneThreadCode {
public:
  explicit OneThreadCode(llvm::Function &function);

  /// The way into it that leads to `block`; null if none does alone.
  const llvm::BasicBlockEdge *beginOf(const llvm::BasicBlock &block) const {
    const auto begin = llvm::find_if(
        begins_, [&](const llvm::BasicBlockEdge &each) { return tree_.dominates(each, &block); });
    return begin == begins_.end() ? nullptr : begin;
  }

  bool contains(const llvm::BasicBlock &block) const { return beginOf(block) != nullptr; }

  bool isEmpty() const { return begins_.empty(); }

  /// Whether the first thread of the team is asked for.
  bool isFirst() const { return isFirst_; }

private:
  llvm::DominatorTree tree_;
  llvm::SmallVector<llvm::BasicBlockEdge, 2> begins_;
  bool isFirst_ = true;
};

} // namespace tutti::compiler::openmp
