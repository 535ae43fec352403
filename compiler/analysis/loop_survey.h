// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the iterations of a kernel's chunk loop do that matters to whoever divides loops inside of
/// them over work-items: the memory that they touch, and whether anything must not happen twice.
#pragma once

#include "compiler/analysis/loop_dependences.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/PassManager.h"

#include <string>
#include <utility>
#include <vector>

namespace tutti::compiler {

class LoopSurvey {
public:
  LoopSurvey(llvm::Loop &chunk, llvm::LoopInfo &loops, llvm::ScalarEvolution &scev,
             llvm::DominatorTree &dominators)
      : chunk_(chunk), loops_(loops), scev_(scev), dominators_(dominators) {}

  /// Looks at everything in the loop once. `accumulators`: what has an effect because others add up
  /// what it computes. Returns why no loop inside may be divided, or nothing.
  std::string run(const llvm::SmallPtrSetImpl<const llvm::Instruction *> &accumulators);

  /// Those of global memory that is not constant.
  llvm::ArrayRef<KernelAccess> accesses() const { return accesses_; }

  /// What the loop is executed for, in the order of the function's blocks.
  llvm::ArrayRef<llvm::Instruction *> effects() const { return effects_; }

  /// Whether private memory that is written in `loop` is written anew in each iteration.
  bool keepsTemporaries(const llvm::Loop &loop) const;

private:
  const llvm::Loop *homeOf(const llvm::AllocaInst &memory) const;
  std::string addAccess(llvm::Instruction &inst, llvm::Value *pointer, llvm::Value *length,
                        llvm::Type *type, bool writes);
  std::string surveyInstruction(llvm::Instruction &inst);

  llvm::Loop &chunk_;
  llvm::LoopInfo &loops_;
  llvm::ScalarEvolution &scev_;
  llvm::DominatorTree &dominators_;
  std::vector<KernelAccess> accesses_;
  llvm::SmallVector<llvm::Instruction *, 16> effects_;
  llvm::SmallVector<std::pair<llvm::Instruction *, const llvm::AllocaInst *>, 8> privateStores_;
};

/// Whether `access` moves on by a few bytes with each iteration of `loop`, which is around it.
bool isContiguous(const KernelAccess &access, const llvm::Loop &loop, llvm::ScalarEvolution &scev);

} // namespace tutti::compiler
