// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which loops inside the iterations of a parallel loop are parallel themselves, and under which
/// conditions: what lets a kernel give a work-item less than a whole iteration.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Function.h"

#include <string>

namespace tutti::compiler {

/// Holds if `left` >= `right` as signed 64-bit numbers; both are invariant in the kernel: made of
/// its captures, values, symbols and constants.
struct AtLeast {
  const llvm::SCEV *left;
  const llvm::SCEV *right;
};

/// Loops that may be divided over work-items together.
struct ParallelNest {
  /// The chunk's own loop first, then one inside the other; at most three.
  llvm::SmallVector<llvm::Loop *, 3> loops;
  /// Indices into `loops`, the one over contiguous memory first.
  llvm::SmallVector<unsigned, 3> order;
  llvm::SmallVector<const llvm::SCEV *, 3> extents; ///< Iterations of each loop; invariant.
  llvm::SmallVector<AtLeast, 8> conditions;         ///< All must hold.
  bool needsDisjoint = false; ///< Only if objects with different pointers do not overlap.
  std::string reason;         ///< Why no deeper loop is in it; for remarks.
};

/// Looks for the deepest nest below `chunkLoop` in `kernel` (compiler/ir/kernel.h), in which
/// iterations of `chunkLoop` are known to be independent.
ParallelNest findParallelNest(llvm::Function &kernel, llvm::Loop &chunkLoop,
                              llvm::FunctionAnalysisManager &analyses);

} // namespace tutti::compiler
