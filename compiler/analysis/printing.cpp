// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/printing.h"

#include "compiler/analysis/construct_code.h"
#include "compiler/analysis/endings.h"
#include "compiler/analysis/worksharing.h"
#include "compiler/ir/construct_calls.h"
#include "compiler/ir/output_calls.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// The output calls of iterations.
SmallVector<CallInst *, 8> outputOfIterations(Function &function,
                                              FunctionAnalysisManager &analyses) {
  SmallVector<CallInst *, 8> calls;
  const auto last = findLastBlocks(function);
  for (Instruction &inst : instructions(function)) {
    auto *call = dyn_cast<CallInst>(&inst);
    if (call && !last.contains(call->getParent()) && asOutputCall(*call)) {
      calls.push_back(call);
    }
  }
  if (calls.empty()) {
    return calls;
  }
  ConstructCode code(function, analyses);
  if (code.loops().size() != 1 || !code.isRegular() || !code.fileInstructions()) {
    return {};
  }
  erase_if(calls,
           [&](CallInst *call) { return !code.isSkipped(*call) || code.isCombining(*call); });
  return calls;
}

/// Whether it does no harm if several threads execute `inst` at the same time.
bool isHarmlessTogether(const Instruction &inst) {
  if (const auto *store = dyn_cast<StoreInst>(&inst)) {
    return store->isSimple() && leadsToOwn(store->getPointerOperand());
  }
  if (const auto *call = dyn_cast<CallInst>(&inst)) {
    const bool isKnown = kindOf(inst) == CallKind::ThreadNumber || mayStandInLoop(*call);
    return isKnown || asOutputCall(*call);
  }
  return !inst.isAtomic() && !inst.isVolatile() && !isa<InvokeInst, ReturnInst>(inst);
}

/// The calls that begin and end critical sections, if nothing but output is what these are for.
SmallVector<CallInst *, 8> printingSections(Function &function) {
  SmallVector<CallInst *, 8> bounds;
  SmallDenseMap<BasicBlock *, bool> isInside; // At the begin of a block.
  SmallVector<BasicBlock *, 16> work{&function.getEntryBlock()};
  isInside[&function.getEntryBlock()] = false;
  while (!work.empty()) {
    BasicBlock *block = work.pop_back_val();
    bool isHeld = isInside.lookup(block);
    for (Instruction &inst : *block) {
      if (kindOf(inst) == CallKind::Critical) {
        bounds.push_back(cast<CallInst>(&inst));
        isHeld = !isHeld;
      } else if (isHeld && !isHarmlessTogether(inst)) {
        return {};
      }
    }
    for (BasicBlock *next : successors(block)) {
      const auto [known, isNew] = isInside.try_emplace(next, isHeld);
      if (!isNew && known->second != isHeld) {
        return {};
      }
      if (isNew) {
        work.push_back(next);
      }
    }
  }
  return bounds;
}

} // namespace

Printing dropOutput(Function &function, FunctionAnalysisManager &analyses) {
  Printing printing;
  analyses.clear(function, function.getName());
  const SmallVector<CallInst *, 8> calls = outputOfIterations(function, analyses);
  analyses.clear(function, function.getName());
  if (!calls.empty()) {
    for (CallInst *bound : printingSections(function)) {
      bound->eraseFromParent();
    }
  }
  for (CallInst *call : calls) {
    const OutputCall output = *asOutputCall(*call);
    printing.isAny = true;
    printing.followsLocale = printing.followsLocale || output.followsLocale;
    printing.usesObjects = printing.usesObjects || output.isInsertion;
    printing.first = printing.first ? printing.first : call->getDebugLoc();
    IRBuilder<> build(call);
    for (const unsigned operand : output.read) {
      build.CreateCall(
          function.getParent()->getOrInsertFunction("strlen", build.getInt64Ty(), build.getPtrTy()),
          call->getArgOperand(operand));
    }
    if (output.isInsertion) {
      call->replaceAllUsesWith(call->getArgOperand(*output.stream));
    }
    call->eraseFromParent();
  }
  return printing;
}

void dropUnusedStreams(Function &function) {
  for (Instruction &inst : make_early_inc_range(instructions(function))) {
    if (inst.use_empty() && isStandardStream(&inst)) {
      inst.eraseFromParent();
    }
  }
}

} // namespace tutti::compiler
