// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which loops inside the iterations of a parallel loop the work-items of a group may execute
/// together, one iteration of the parallel loop after the other, and under which conditions.
///
///   for i: { x = a[i][k];  for j: a[i][j] += x * b[j];  a[i][k] = x; }
///
/// No nest (compiler/analysis/parallel_loops.h): what lies outside of the inner loop has an effect,
/// or touches what that one writes. A group that executes iteration i keeps all this in order by
/// barriers. All of its work-items execute what lies outside of the inner loops, but one alone what
/// it stores there; each iteration of an inner loop goes to one of them.
///
/// Nothing outside of the dealt loops depends on a work-item's number: values are computed from
/// parameters, the group's iteration, and loads that barriers keep apart from stores. So all items
/// take the same way, and meet at the barriers.
#pragma once

#include "compiler/analysis/loop_dependences.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

#include <string>

namespace tutti::compiler {

/// Always: each dealt loop is rotated: it has a preheader and is left from its latch only. Phis in
///         its header are affine recurrences, and nothing that is computed in it is used behind it.
struct DealtLoops {
  std::string reason; ///< Why there are none, or empty.
  llvm::SmallVector<llvm::Loop *, 2> loops;
  llvm::SmallVector<llvm::StoreInst *, 2> stores;     ///< For one work-item of the group.
  llvm::SmallVector<llvm::Instruction *, 4> barriers; ///< What they stand in front of.
  const llvm::SCEV *count = nullptr;                  ///< Iterations of the chunk; closed.
  const llvm::SCEV *extent = nullptr;       ///< The most iterations of a dealt loop; closed.
  llvm::SmallVector<AtLeast, 8> conditions; ///< All must hold.
  bool needsDisjoint = false; ///< Only if objects with different pointers do not overlap.
};

/// Looks for loops below `chunkLoop` in `kernel` (compiler/ir/kernel.h), in which iterations of
/// `chunkLoop` are known to be independent. There are none where that is not worthwhile: where the
/// dealt loops do not go over contiguous memory or have few iterations, or others much work.
/// Shape: loops are simplified and in LCSSA form.
DealtLoops findDealtLoops(llvm::Function &kernel, llvm::Loop &chunkLoop,
                          llvm::FunctionAnalysisManager &analyses);

/// `opt -passes='print<tutti-dealt-loops>'`: what is found below the outermost loops, for tests.
class DealtLoopsPrinterPass : public llvm::PassInfoMixin<DealtLoopsPrinterPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

  static bool isRequired() { return true; }
};

} // namespace tutti::compiler
