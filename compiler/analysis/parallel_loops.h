// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which loops inside the iterations of a parallel loop are parallel themselves, and under which
/// conditions: what lets a kernel give a work-item less than a whole iteration.
///
/// A work-item that takes iteration (i, j) of a nest executes the body of i outside of the loops
/// over j as well, beside all others with the same i. So everything that has an effect lies in the
/// loops that are divided: stores to shared memory and updates of the region's reductions.
#pragma once

#include "compiler/analysis/loop_dependences.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

#include <string>

namespace tutti::compiler {

/// Loops that are divided alike: iteration n of each of them goes to the same work-item. They lie
/// in one iteration of the dimension before, side by side or in loops which every work-item
/// executes in full:
///
///   for i: { for j: c[i][j] = 0;  for k: for j: c[i][j] += a[i][k] * b[k][j]; }
struct NestDimension {
  llvm::SmallVector<llvm::Loop *, 1> loops; ///< All run equally often.
  /// Iterations, exactly, where control is in the preheader of one of them. They may differ between
  /// iterations of the loops around. The chunk's own may be what cannot be computed.
  const llvm::SCEV *trip;
  /// The most iterations; closed. May be <= 0 where the loops do not run.
  const llvm::SCEV *extent;
};

/// Loops that may be divided over work-items together.
///
/// Always: each loop but the chunk's is rotated: it has a preheader and is left from its latch
/// only.
///         A phi in its header is an affine recurrence (of ScalarEvolution), or an accumulator: it
///         starts from the accumulator of the loop around it and only feeds that one, by one
///         associative operation. No other value of the loop is used outside of it.
struct ParallelNest {
  /// The chunk's own loop first, then one inside the other; at most three. Only the last one may
  /// have several loops, or loops around its own, and then there are no accumulators.
  llvm::SmallVector<NestDimension, 3> dimensions;
  /// Indices into `dimensions`, the one over contiguous memory first.
  llvm::SmallVector<unsigned, 3> order;
  llvm::SmallVector<AtLeast, 8> conditions; ///< All must hold. None if there is one dimension only.
  bool needsDisjoint = false; ///< Only if objects with different pointers do not overlap.
  bool isGuess = false; ///< Conditions hold only if objects' parts are as far apart as is guessed.
  std::string reason;   ///< Why no deeper loop is in it; for remarks.
};

/// Looks for the deepest nest below `chunkLoop` in `kernel` (compiler/ir/kernel.h), in which
/// iterations of `chunkLoop` are known to be independent.
/// Shape: at most `deepest` dimensions. Extents and conditions are closed: made of constants and
/// the
///        kernel's parameters lower, upper, total, captures, values and symbols.
ParallelNest findParallelNest(llvm::Function &kernel, llvm::Loop &chunkLoop,
                              llvm::FunctionAnalysisManager &analyses, unsigned deepest = 3);

/// `opt -passes='print<tutti-parallel-nest>'`: the nests below the outermost loops, for tests.
class ParallelNestPrinterPass : public llvm::PassInfoMixin<ParallelNestPrinterPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

  static bool isRequired() { return true; }
};

} // namespace tutti::compiler
