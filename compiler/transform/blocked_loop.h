// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// An inner loop in blocks of iterations, what it loads coming from somewhere else:
///
///     for (j = 0; j < n; ++j)          for (done = 0; done < n - n % size; done += size) {
///       f(j, *p(j));                     fill(done);
///                               ---->    for (at = 0; at < size; ++at) f(done + at, load(at));
///                                      }
///                                      for (j = done; j < n; ++j) f(j, *p(j));
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

#include <cstdint>

namespace tutti::compiler {

/// Metadata of a loop that is to be unrolled `times` times.
llvm::MDNode *unrolled(llvm::LLVMContext &context, unsigned times);

/// How often the loop runs, modulo 2^64, in front of its preheader's end.
/// Shape: its count has at most 64 bits and can be expanded there.
llvm::Value *expandTrip(llvm::Loop &loop, llvm::ScalarEvolution &scev,
                        llvm::SCEVExpander &expander);

class BlockedLoop {
public:
  /// Puts code in front of a block's loop, into `from`, which has no end yet; returns where the
  /// code ends. `done`: iterations in front of the block.
  using Fill = llvm::function_ref<llvm::BasicBlock *(llvm::BasicBlock *from, llvm::Value *done)>;
  /// What stands for a load in the iteration `at` of a block.
  using Load = llvm::function_ref<llvm::Value *(llvm::IRBuilderBase &build, llvm::LoadInst &load,
                                                llvm::Value *at)>;

  /// Shape: `size` is a power of two; `loop` is in LCSSA form, and `canBeBlocked`
  /// (compiler/analysis/shared_loads.h).
  BlockedLoop(llvm::Loop &loop, std::uint64_t size) : loop_(loop), size_(size) {}

  /// `trip`: iterations in all, modulo 2^64. `times`: how often the loop over a block is to be
  /// unrolled; 0 leaves that open. Order: once; analyses are out of date behind it.
  void write(llvm::Value *trip, Fill fill, llvm::ArrayRef<llvm::LoadInst *> loads, Load load,
             unsigned times);

private:
  llvm::Value *copyOf(llvm::Value *value) const;
  void addLoopOverBlock(llvm::BasicBlock *filled, llvm::BasicBlock *behind,
                        llvm::ArrayRef<llvm::LoadInst *> loads, Load load, unsigned times);

  llvm::Loop &loop_;
  std::uint64_t size_;
  llvm::ValueToValueMapTy map_; ///< From the loop to its copy for blocks.
};

} // namespace tutti::compiler
