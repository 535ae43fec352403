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

  bool contains(const llvm::BasicBlock &block) const {
    return llvm::any_of(
        begins_, [&](const llvm::BasicBlockEdge &begin) { return tree_.dominates(begin, &block); });
  }

  bool isEmpty() const { return begins_.empty(); }

  /// Whether the first thread of the team is asked for.
  bool isFirst() const { return isFirst_; }

private:
  llvm::DominatorTree tree_;
  llvm::SmallVector<llvm::BasicBlockEdge, 2> begins_;
  bool isFirst_ = true;
};

} // namespace tutti::compiler::openmp
