// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the work-items of a group all load in an innermost loop of the loop over a work-item's
/// iterations: elements that only the loop's counter and values of the whole group choose. And
/// whether they may load it together (compiler/transform/staged_loads.h): all of them get to the
/// loop, equally often once those beyond the last iteration take part, and nothing writes it.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

#include <cstdint>
#include <string>

namespace tutti::compiler {

/// The loop over a work-item's iterations: first, first + step, ... below the trip count.
struct OwnLoop {
  llvm::Loop *loop = nullptr;
  llvm::BasicBlock *preheader = nullptr;
  llvm::BasicBlock *header = nullptr;
  llvm::BasicBlock *latch = nullptr;
  llvm::BasicBlock *exit = nullptr;
  llvm::PHINode *counter = nullptr;
  llvm::CallInst *first = nullptr; ///< The work-item's number.
  llvm::Instruction *next = nullptr;
  llvm::ICmpInst *again = nullptr;
  llvm::ICmpInst *guard = nullptr; ///< Whether there is an iteration.
  llvm::Value *trip = nullptr;
};

/// One of the elements that an iteration of the inner loop loads.
struct SharedElement {
  const llvm::SCEV *start = nullptr; ///< Its address in the first iteration,
  const llvm::SCEV *step = nullptr;  ///< and how far the next one's is behind it.
  llvm::SmallVector<llvm::LoadInst *, 2> loads;
  std::uint64_t offset = 0; ///< In the iteration's record in local memory.
};

struct SharedLoads {
  static constexpr std::uint64_t kAlignment = 16; ///< Of local memory: what is loaded at once.

  std::string reason; ///< Why nothing is to be staged, or empty.
  OwnLoop own;
  llvm::Loop *loop = nullptr;      ///< The inner one, which loads nothing else.
  llvm::BasicBlock *end = nullptr; ///< Behind it, and executed in each iteration of the own loop.
  llvm::SmallVector<SharedElement, 4> elements;
  std::uint64_t recordBytes = 0;
  std::uint64_t blockCount = 0; ///< Iterations of a block, a power of two.
  bool needsDisjoint = false;   ///< Only if objects with different pointers do not overlap.
  bool isShort = false;         ///< Little work for a branch.
};

/// Whether the loop can be executed in blocks: it has a preheader, one latch, which is the only way
/// out, and an exit that nothing else leads to.
bool canBeBlocked(const llvm::Loop &loop);

/// `kernel`: an entry point in the form of compiler/ir/kernel.h, with simplified loops in LCSSA
/// form, of a grid of one dimension.
SharedLoads findSharedLoads(llvm::Function &kernel, llvm::FunctionAnalysisManager &analyses);

} // namespace tutti::compiler
