// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Conditions under which code of a chunk model runs, as far as they are closed forms.
#pragma once

#include "compiler/analysis/accesses.h"
#include "compiler/analysis/expressions.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"

namespace tutti::compiler {

class GuardFinder {
public:
  using Guards = llvm::SmallVectorImpl<AccessRecord::Guard>;
  /// An expression as it is in the iterations that are looked at.
  using Seen = llvm::function_ref<const llvm::SCEV *(const llvm::SCEV *)>;

  GuardFinder(ChunkModel &model, const ClosedForms &forms, llvm::FunctionAnalysisManager &analyses);

  /// Adds the conditions under which `block` runs. Returns whether they are all: then the block
  /// runs in every iteration of the loops around it.
  bool addAll(Guards &guards, llvm::BasicBlock *block, Seen seen);

  /// Adds one condition, taking conjunctions apart. Returns whether it could be added.
  bool add(Guards &guards, llvm::Value *condition, bool holds, Seen seen);

  /// Removes the conditions that may differ between chunks.
  void dropOfChunks(Guards &guards) const;

  /// Whether some condition was not closed that may be in a single iteration.
  bool wantsPerIteration() const { return wantsPerIteration_; }

private:
  const ChunkModel &model_;
  const ClosedForms &forms_;
  llvm::LoopInfo &loops_;
  llvm::ScalarEvolution &scev_;
  llvm::DominatorTree &dominators_;
  llvm::PostDominatorTree &postDominators_;
  bool wantsPerIteration_ = false;
};

} // namespace tutti::compiler
