// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Stages in local memory what the work-items of a group all load in an innermost loop: elements
/// that only the loop's counter and values of the whole group choose.
///
///   for (k = first; k < trip; k += step) {
///     before(k);  for (j = 0; j < n; ++j) f(k, q[j]);  after(k);
///   }
/// becomes
///   for (base = first - local.id; base < trip; base += step) {
///     k = min(base + local.id, trip - 1);
///     before(k);
///     for (j = 0; j < n - n % kBlock; j += kBlock) {
///       barrier;  items together: block = q[j ... j + kBlock);  barrier;
///       for (c = 0; c < kBlock; ++c) f(k, block[c]);
///     }
///     for (; j < n; ++j) f(k, q[j]);
///     if (base + local.id < trip) after(k);
///   }
///
/// so that all items of a group reach the barriers equally often. Those beyond the last iteration
/// do what that one does, and have no effect. Each item computes the same as before, in the same
/// order.
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

#include <string>

namespace tutti::compiler {

class StagedLoads {
public:
  /// `kernel`: an entry point in the form of compiler/ir/kernel.h, with simplified loops in LCSSA
  /// form, of a grid of one dimension.
  StagedLoads(llvm::Function &kernel, llvm::FunctionAnalysisManager &analyses);

  /// Why nothing is staged, or empty.
  std::string analyse();

  /// Whether the kernel is right only if objects with different pointers do not overlap.
  /// Order: after `analyse` found no reason.
  bool needsDisjoint() const { return needsDisjoint_; }

  /// Order: after `analyse` found no reason. Analyses of the function are out of date behind it.
  void stage();

private:
  /// The loop over a work-item's iterations.
  struct OwnLoop {
    llvm::Loop *loop = nullptr;
    llvm::BasicBlock *preheader = nullptr;
    llvm::BasicBlock *header = nullptr;
    llvm::BasicBlock *latch = nullptr;
    llvm::BasicBlock *exit = nullptr;
    llvm::PHINode *counter = nullptr;
    llvm::CallInst *first = nullptr; ///< The work-item's number: where the counter begins.
    llvm::Instruction *next = nullptr;
    llvm::ICmpInst *again = nullptr;
    llvm::ICmpInst *guard = nullptr; ///< Whether there is an iteration.
    llvm::Value *trip = nullptr;
  };

  /// One element of what an iteration loads.
  struct Slot {
    const llvm::SCEV *start = nullptr; ///< Its address in the first iteration,
    const llvm::SCEV *step = nullptr;  ///< and how far the next one's is behind it.
    llvm::SmallVector<llvm::LoadInst *, 2> loads;
    std::uint64_t offset = 0;        ///< In the iteration's record in local memory.
    llvm::Value *address = nullptr;  ///< `start`
    llvm::Value *distance = nullptr; ///< `step`
  };

  bool findOwnLoop();
  std::string analyseLoop(llvm::Loop &loop);
  std::string findSlots();
  std::string checkWork() const;
  bool onlyComputes(const llvm::LoadInst &load);
  std::string checkEffects();
  bool isUniform(const llvm::Value &value) const;
  bool isUniform(const llvm::SCEV &expression) const;
  bool isReachedByAll(llvm::BasicBlock &block);
  llvm::BasicBlock *findEnd();
  bool mayChange(const llvm::LoadInst &load, const llvm::StoreInst &store);
  void layOut();
  llvm::Value *prepare();
  llvm::Value *element(llvm::IRBuilderBase &build, const Slot &slot, llvm::Value *iteration) const;
  llvm::Align alignment(const Slot &slot) const;
  llvm::BasicBlock *fillArray(llvm::BasicBlock *from, llvm::Value *done);
  bool isUnrolled() const;
  void addBlocks();
  llvm::Value *shareIterations();
  void guardEffects(llvm::Value *exists);

  llvm::Function &kernel_;
  llvm::FunctionAnalysisManager &analyses_;
  OwnLoop own_;
  llvm::Loop *loop_ = nullptr;      ///< Whose loads are staged.
  llvm::BasicBlock *end_ = nullptr; ///< Of the own loop: behind `loop_`, and always executed.
  llvm::SmallVector<Slot, 4> slots_;
  std::uint64_t recordBytes_ = 0;
  std::uint64_t blockCount_ = 0; ///< Iterations of a block.
  llvm::Value *localId_ = nullptr;
  llvm::Value *localCount_ = nullptr;
  llvm::Value *array_ = nullptr; ///< In local memory.
  bool needsDisjoint_ = false;
};

/// For tests: stages in every kernel of a module that is in the form of the class, and remarks what
/// it did or why not.
class StageLoadsPass : public llvm::PassInfoMixin<StageLoadsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &kernel, llvm::FunctionAnalysisManager &analyses);
};

} // namespace tutti::compiler
