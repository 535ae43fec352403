// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Accesses through pointers that a loop finds in memory, at addresses in closed form: rows of an
/// array of pointers, members of objects that it lists.
///
///   for (i...) for (j...) a[i][j] = 0;   // double **a
///
/// Where row i lies is known only from memory, so no single record describes the rows of a chunk.
/// Access functions *walk*: they go through those loops in which the pointers vary (i, not j),
/// *follow* the pointers of each iteration, and report a record for each.
#pragma once

#include "compiler/analysis/chunk_model.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Instructions.h"

namespace tutti::compiler {

/// What has to be walked through for one record.
struct Walks {
  /// A pointer, or a length beside one, that is looked up.
  struct Follow {
    llvm::LoadInst *load;
    const llvm::SCEV *address; ///< In terms of the model's counters and of what is followed before.
    friend bool operator==(const Follow &, const Follow &) = default;
  };

  /// A loop whose iterations are gone through one by one; its counter is the model's of the same
  /// position.
  struct Level {
    const llvm::Loop *loop;
    const llvm::SCEV *count; ///< 64 bits; in terms of outer levels' counters.
    friend bool operator==(const Level &, const Level &) = default;
  };

  llvm::SmallVector<Level, 2> levels; ///< Outermost first.
  llvm::SmallVector<Follow, 2> follows;

  bool empty() const { return follows.empty(); }

  /// How `value` is looked up; null if it is not.
  const Follow *followOf(const llvm::Value *value) const {
    const auto *found =
        llvm::find_if(follows, [value](const Follow &follow) { return follow.load == value; });
    return found == follows.end() ? nullptr : found;
  }

  friend bool operator==(const Walks &, const Walks &) = default;
};

/// Finds what an access has to walk through.
class WalkFinder {
public:
  WalkFinder(const ChunkModel &model, const llvm::LoopInfo &loops, llvm::ScalarEvolution &scev)
      : model_(model), loops_(loops), scev_(scev) {}

  /// Whether `load` gives a pointer whose address is in closed form but for recurrences of loops
  /// and other such loads. Where a chunk ends must not matter: the whole loop follows all that its
  /// parts do.
  bool isFollowable(const llvm::LoadInst &load) const;

  struct Found {
    llvm::SmallSetVector<const llvm::Loop *, 2> loops;
    llvm::SmallSetVector<llvm::LoadInst *, 2> loads; ///< Each behind those that it depends on.
  };

  /// Changes an expression before it is looked at.
  using Seen = llvm::function_ref<const llvm::SCEV *(const llvm::SCEV *)>;

  /// What to walk through and follow so that `expressions`, used in `block`, and the extents of the
  /// loops around it can be told. There are no loads if nothing has to be followed or not all of it
  /// can be.
  Found find(llvm::ArrayRef<const llvm::SCEV *> expressions, const llvm::BasicBlock &block,
             Seen seen) const;

private:
  llvm::SmallVector<llvm::LoadInst *, 4> loadsIn(const llvm::SCEV *expression) const;
  bool addPointers(Found &found, const llvm::SCEV *expression, const llvm::BasicBlock &block,
                   Seen seen) const;
  void addLengths(Found &found, const llvm::SCEV *expression, Seen seen) const;
  bool addExtents(Found &found, const llvm::BasicBlock &block, Seen seen) const;

  const ChunkModel &model_;
  const llvm::LoopInfo &loops_;
  llvm::ScalarEvolution &scev_;
};

} // namespace tutti::compiler
