// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The instructions of an outlined parallel construct: those of its worksharing loops, and those
/// that every thread executes beside the loops. Judges nothing.
///
///   #pragma omp parallel
///   {
///     const double scale = 2 * f;    // beside the loop: every thread executes it
///   #pragma omp for
///     for (...) a[i] = scale * i;    // the loop's: each iteration is executed by one thread
///   }
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

/// The calls of one worksharing loop.
struct SequencedLoop {
  llvm::CallInst *init = nullptr;
  llvm::SmallVector<llvm::CallInst *, 2> next;
  llvm::SmallVector<llvm::CallInst *, 2> ends; ///< Of the loop, not of pieces.
  llvm::SmallVector<llvm::CallInst *, 2> reduce;

  bool isDispatch() const;

  /// The private variable that says whether the thread had the last iteration.
  llvm::Value *lastFlag() const;
};

/// The loops of `outlined` in the order in which they run. Calls that are of no loop are left out.
llvm::SmallVector<SequencedLoop, 4> sequencedLoops(llvm::Function &outlined);

/// Threading: confined to one thread. Becomes invalid when the function changes.
class ConstructCode {
public:
  /// What is beside the loops has this owner.
  static constexpr int kBeside = -1;

  ConstructCode(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

  llvm::Function &function() const { return function_; }

  llvm::ArrayRef<SequencedLoop> loops() const { return loops_; }

  /// Whether the calls of each loop have the form that clang gives them.
  bool isRegular() const;

  /// Whether a thread may execute the loop of that index more than once.
  bool isRepeated(unsigned loop);

  /// Decides which loop owns which instruction: from its init to its end, from there to its
  /// reduction, and what only the thread of its last iteration or a combining one executes.
  /// Returns false if a loop is inside of another.
  bool fileInstructions();

  /// The loop that `inst` belongs to, or kBeside.
  int owner(const llvm::Instruction &inst) const;

  /// Whether `inst` is not executed where the share of its loop is empty; such belong to a loop.
  bool isSkipped(const llvm::Instruction &inst) const { return skipped_.contains(&inst); }

  /// Whether `inst` is executed only where a reduction combines, of whatever loops.
  bool isCombining(const llvm::Instruction &inst) const { return combining_.contains(&inst); }

  /// Whether `to` may be executed after `from`.
  bool reaches(const llvm::Instruction &from, const llvm::Instruction &to);

  /// Whether threads may wait for each other after `from` and before `to`.
  bool passesBarrier(const llvm::Instruction &from, const llvm::Instruction &to);

  /// Whether the loop of that index may write to `location`.
  bool mayChange(unsigned loop, const llvm::MemoryLocation &location);

private:
  const llvm::SmallPtrSetImpl<const llvm::BasicBlock *> &blocksBehind(const llvm::BasicBlock &);
  void fileGuarded(unsigned loop);
  llvm::SmallVector<const llvm::Instruction *, 32> onlyAfter(const llvm::BasicBlockEdge &) const;
  llvm::DominatorTree &dominators() const;

  llvm::Function &function_;
  llvm::FunctionAnalysisManager &analyses_;
  llvm::SmallVector<SequencedLoop, 4> loops_;
  llvm::DenseMap<const llvm::Instruction *, int> owners_;
  llvm::DenseMap<const llvm::BasicBlock *, llvm::SmallPtrSet<const llvm::BasicBlock *, 32>> behind_;
  llvm::DenseSet<const llvm::Instruction *> skipped_;
  llvm::DenseSet<const llvm::Instruction *> combining_;
};

} // namespace tutti::compiler
