// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/target/ptx/strength_reduction.h"

#include "compiler/ir/kernel.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tutti::compiler::target {

namespace {

bool stepsByVariable(const SCEV *address, const Loop &loop, ScalarEvolution &scev) {
  return SCEVExprContains(address, [&](const SCEV *part) {
    const auto *recurrence = dyn_cast<SCEVAddRecExpr>(part);
    return recurrence && recurrence->getLoop() == &loop &&
           !isa<SCEVConstant>(recurrence->getStepRecurrence(scev));
  });
}

bool hasRecurrence(const Loop &loop, ScalarEvolution &scev) {
  return any_of(loop.getHeader()->phis(), [&](PHINode &phi) {
    return scev.isSCEVable(phi.getType()) && isa<SCEVAddRecExpr>(scev.getSCEV(&phi));
  });
}

/// Whether `value` is `phi` and constants that are added to it.
bool addsConstants(const Value *value, const PHINode &phi) {
  while (value != &phi) {
    const auto *inst = dyn_cast<Instruction>(value);
    const bool adds = inst &&
                      (inst->getOpcode() == Instruction::Add || isa<GetElementPtrInst>(inst)) &&
                      all_of(drop_begin(inst->operands()), IsaPred<Constant>);
    if (!adds) {
      return false;
    }
    value = inst->getOperand(0);
  }
  return true;
}

/// Whether a value of the loop may step by a distance that is not constant, as far as can be seen
/// without closed forms: something in the loop is multiplied, or a variable distance is added to
/// what comes round.
bool mayStepByVariable(const Loop &loop) {
  const BasicBlock *latch = loop.getLoopLatch();
  const auto isVariable = [&](const Instruction &inst) {
    if (const auto *phi = dyn_cast<PHINode>(&inst)) {
      return phi->getParent() == loop.getHeader() && !phi->getType()->isFloatingPointTy() &&
             (!latch || !addsConstants(phi->getIncomingValueForBlock(latch), *phi));
    }
    return (inst.getOpcode() == Instruction::Mul || inst.getOpcode() == Instruction::Shl) &&
           !isa<Constant>(inst.getOperand(1));
  };
  return any_of(loop.blocks(), [&](const BasicBlock *block) { return any_of(*block, isVariable); });
}

bool needsStrengthReduction(Function &function) {
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  const auto isLikely = [](const Loop *loop) {
    return loop->isInnermost() && mayStepByVariable(*loop);
  };
  if (none_of(loops.getLoopsInPreorder(), isLikely)) {
    return false;
  }
  const TargetLibraryInfoImpl libraryData;
  TargetLibraryInfo library(libraryData);
  AssumptionCache assumptions(function);
  ScalarEvolution scev(function, library, assumptions, dominators, loops);
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    if (!isLikely(loop) || !hasRecurrence(*loop, scev)) {
      continue;
    }
    for (BasicBlock *block : loop->blocks()) {
      for (Instruction &inst : *block) {
        Value *pointer = getLoadStorePointerOperand(&inst);
        if (pointer && stepsByVariable(scev.getSCEV(pointer), *loop, scev)) {
          return true;
        }
      }
    }
  }
  return false;
}

} // namespace

bool needsStrengthReduction(Module &kernels) {
  return any_of(kernels, [](Function &function) {
    return !function.isDeclaration() && !function.hasOptNone() &&
           !function.hasFnAttribute(kernel::kByGroups) && needsStrengthReduction(function);
  });
}

} // namespace tutti::compiler::target
