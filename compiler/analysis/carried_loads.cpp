// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/carried_loads.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

class Reloader {
public:
  Reloader(Loop &loop, ScalarEvolution &scev, AAResults &aliases)
      : loop_(loop), scev_(scev), aliases_(aliases) {}

  bool run();

private:
  bool reload(PHINode &phi);
  bool isFirst(const LoadInst &load, const SCEVAddRecExpr &next) const;
  bool isComputedInLoop(Value *value) const;
  Value *copyToHeader(Value *value, ValueToValueMapTy &map, Instruction *before) const;

  Loop &loop_;
  ScalarEvolution &scev_;
  AAResults &aliases_;
};

/// Whether `load`, in front of the loop, finds what an iteration before the first one would leave
/// to it, and nothing is written between it and the loop.
bool Reloader::isFirst(const LoadInst &load, const SCEVAddRecExpr &next) const {
  const SCEV *step = next.getStepRecurrence(scev_);
  const SCEV *address = scev_.getAddExpr(next.getStart(), scev_.getNegativeSCEV(step));
  if (!load.isSimple() || scev_.getSCEV(const_cast<Value *>(load.getPointerOperand())) != address) {
    return false;
  }
  const MemoryLocation location = MemoryLocation::get(&load);
  for (const BasicBlock *block = loop_.getLoopPreheader(); block;
       block = block->getSinglePredecessor()) {
    for (const Instruction &inst : reverse(*block)) {
      if (&inst == &load) {
        return true;
      }
      if (isModSet(aliases_.getModRefInfo(&inst, location))) {
        return false;
      }
    }
  }
  return false;
}

/// Whether `value` can be computed at the top of the loop, from phis of its header.
bool Reloader::isComputedInLoop(Value *value) const {
  auto *inst = dyn_cast<Instruction>(value);
  if (!inst || !loop_.contains(inst)) {
    return true;
  }
  if (isa<PHINode>(inst)) {
    return inst->getParent() == loop_.getHeader();
  }
  return (isa<GetElementPtrInst>(inst) || isa<CastInst>(inst) ||
          (isa<BinaryOperator>(inst) && !inst->isIntDivRem())) &&
         all_of(inst->operands(), [this](Use &use) { return isComputedInLoop(use.get()); });
}

Value *Reloader::copyToHeader(Value *value, ValueToValueMapTy &map, Instruction *before) const {
  auto *inst = dyn_cast<Instruction>(value);
  if (!inst || !loop_.contains(inst) || isa<PHINode>(inst)) {
    return value;
  }
  if (Value *known = map.lookup(value)) {
    return known;
  }
  Instruction *copy = inst->clone();
  for (Use &operand : copy->operands()) {
    operand.set(copyToHeader(operand.get(), map, before));
  }
  copy->insertBefore(before);
  map[value] = copy;
  return copy;
}

/// `phi` takes what an iteration has loaded to the next one: loads it there instead.
bool Reloader::reload(PHINode &phi) {
  auto *first = dyn_cast<LoadInst>(phi.getIncomingValueForBlock(loop_.getLoopPreheader()));
  auto *next = dyn_cast<LoadInst>(phi.getIncomingValueForBlock(loop_.getLoopLatch()));
  if (!first || !next || !next->isSimple() || !loop_.contains(next)) {
    return false;
  }
  const auto *address = dyn_cast<SCEVAddRecExpr>(scev_.getSCEV(next->getPointerOperand()));
  const auto *step = address ? dyn_cast<SCEVConstant>(address->getStepRecurrence(scev_)) : nullptr;
  if (!step || address->getLoop() != &loop_ || !address->isAffine() || !isFirst(*first, *address) ||
      !isComputedInLoop(next->getPointerOperand())) {
    return false;
  }
  const MemoryLocation location = MemoryLocation::get(next);
  for (BasicBlock *block : loop_.blocks()) {
    for (Instruction &inst : *block) {
      if (isModSet(aliases_.getModRefInfo(&inst, location))) {
        return false;
      }
    }
  }
  ValueToValueMapTy map;
  Instruction *top = &*loop_.getHeader()->getFirstInsertionPt();
  Value *pointer = copyToHeader(next->getPointerOperand(), map, top);
  IRBuilder<> build(top);
  Value *before = build.CreatePtrAdd(pointer, build.getInt64(-step->getAPInt().getSExtValue()));
  LoadInst *reloaded = build.CreateAlignedLoad(phi.getType(), before, next->getAlign());
  reloaded->setAAMetadata(next->getAAMetadata());
  scev_.forgetValue(&phi);
  phi.replaceAllUsesWith(reloaded);
  phi.eraseFromParent();
  return true;
}

bool Reloader::run() {
  bool changed = false;
  if (!loop_.getLoopPreheader() || !loop_.getLoopLatch()) {
    return false;
  }
  for (bool again = true; again;) {
    again = false;
    for (PHINode &phi : make_early_inc_range(loop_.getHeader()->phis())) {
      again |= reload(phi);
    }
    changed |= again;
  }
  return changed;
}

} // namespace

PreservedAnalyses ReloadCarriedPass::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &scev = analyses.getResult<ScalarEvolutionAnalysis>(function);
  auto &aliases = analyses.getResult<AAManager>(function);
  bool changed = false;
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder()) {
    changed |= Reloader(*loop, scev, aliases).run();
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace tutti::compiler
