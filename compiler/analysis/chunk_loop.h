// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A copy of an outlined function in which the worksharing loop runs over one chunk, in a form that
/// addresses can be read from. The model of accesses and the kernels are both made of such copies;
/// what is done to both is done here, so that both see the same addresses.
#pragma once

#include "compiler/analysis/worksharing.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace tutti::compiler {

/// What a copy finds in the variables of its loop; the upper bound is the last iteration.
struct ChunkBounds {
  llvm::Value *isLast;
  llvm::Value *lower;
  llvm::Value *upper;
  llvm::Value *stride;
};

/// Lets `copy` execute the chunk as its only piece. The calls of the loop go, but for those of its
/// reduction; `map` leads from the original to the copy.
void takeChunk(llvm::Function &copy, const Worksharing &loop, const llvm::ValueToValueMapTy &map,
               const ChunkBounds &bounds);

/// Brings `copy` into SSA form, with loops as ScalarEvolution likes them, and takes the loop away
/// that a chunked static schedule makes around its pieces.
void formChunkLoop(llvm::Function &copy, const ChunkBounds &bounds,
                   llvm::FunctionAnalysisManager &analyses);

/// Brings the loops of a function into that form again: one way in, exits of their own, and phis
/// there for what goes out.
void restoreLoops(llvm::Function &copy, llvm::FunctionAnalysisManager &analyses);

/// Brings addresses into closed form, with no load carried from one iteration to the next.
/// `closesSums`: what a loop sums up, too.
void closeAddresses(llvm::Function &copy, llvm::FunctionAnalysisManager &analyses, bool closesSums);

} // namespace tutti::compiler
