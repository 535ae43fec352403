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

bool needsStrengthReduction(Function &function) {
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  const TargetLibraryInfoImpl libraryData;
  TargetLibraryInfo library(libraryData);
  AssumptionCache assumptions(function);
  ScalarEvolution scev(function, library, assumptions, dominators, loops);
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !hasRecurrence(*loop, scev)) {
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
