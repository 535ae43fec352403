// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Nests whose chunk may be executed in blocks of the second loop, so that what one iteration of
/// the first loop leaves in the cache is still there in the next one:
///
///   for i: for j: f(i, j)     ---->     for blocks of j: for i: for j of the block: f(i, j)
///
/// The iterations of a worksharing loop are independent, so their order is free; within each of
/// them the order stays. Other loops beside the second one are executed once in each iteration:
/// with its first block those in front, with its last one those behind.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/PassManager.h"

#include <optional>
#include <utility>

namespace tutti::compiler {

/// Units: bytes of cache lines. All expressions have 64 bits and can be expanded in front of
///        `outer`. They hold where `inner` is executed.
struct CacheNest {
  llvm::Loop *outer = nullptr;              ///< The worksharing loop,
  llvm::Loop *inner = nullptr;              ///< and the loop in it that is divided.
  llvm::SmallVector<llvm::Loop *, 2> first; ///< Other loops of `outer`: those in front of `inner`,
  llvm::SmallVector<llvm::Loop *, 2> last;  ///< and those behind it.
  /// Conditions for blocks, known in front of `outer`, and whether they are to be true. Under these
  /// all iterations of `outer` read what may only stay as it is because all of them read it.
  llvm::SmallVector<std::pair<llvm::Value *, bool>, 2> guards;
  const llvm::SCEV *iterations = nullptr; ///< Of `outer` in a chunk.
  const llvm::SCEV *trip = nullptr;       ///< Iterations of `inner`, in each of `outer` the same.
  /// What one iteration of `outer`, and what it shares with the next ones, touches: for each
  /// iteration of `inner`,
  const llvm::SCEV *moving = nullptr;
  const llvm::SCEV *fixed = nullptr; ///< and beside that.
  /// Of accesses that take a line in each iteration of `inner`, and use the rest of it in the next
  /// iterations of `outer`: how far these lines are apart, at most; 0 if there are none.
  const llvm::SCEV *column = nullptr;
};

/// The nest in `function`, whose worksharing loop `init` deals out evenly; nothing if blocks would
/// change what it computes, or would not bring anything to the cache that is used again.
std::optional<CacheNest> findCacheNest(llvm::Function &function, const llvm::CallInst &init,
                                       llvm::FunctionAnalysisManager &analyses);

} // namespace tutti::compiler
