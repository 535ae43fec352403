// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/serial_forks.h"

#include "compiler/analysis/teams.h"
#include "compiler/analysis/worksharing.h"
#include "compiler/ir/forks.h"
#include "compiler/ir/split_variables.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

SmallVector<CallInst *, 4> forksIn(Function &function) {
  SmallVector<CallInst *, 4> forks;
  for (Instruction &inst : instructions(function)) {
    auto *call = dyn_cast<CallInst>(&inst);
    if (call && kindOf(*call) == CallKind::Fork && outlinedOf(*call)) {
      forks.push_back(call);
    }
  }
  return forks;
}

/// Leaves in the variables of the loop what `init` does for a team of one: all iterations, in one
/// piece.
void takeAll(CallInst &init) {
  IRBuilder<> build(&init);
  build.CreateStore(build.getInt32(1), operandOf(init, Role::Last));
  Type *type = build.getIntNTy(frontendOf(init).counterBits(init.getCalledFunction()->getName()));
  if (stepsByStride(init)) {
    build.CreateStore(ConstantInt::get(type, 1), operandOf(init, Role::Stride));
  } else if (scheduleOf(init) == Schedule::Chunked) {
    // Behind the first piece the loop over pieces ends.
    Value *upper = build.CreateLoad(type, operandOf(init, Role::Upper));
    Value *count = build.CreateAdd(
        build.CreateSub(upper, build.CreateLoad(type, operandOf(init, Role::Lower))),
        ConstantInt::get(type, 1));
    build.CreateStore(count, operandOf(init, Role::Stride));
  }
  init.eraseFromParent();
}

/// Whether `outlined`, or what it calls or forks, comes to a fork of it again: there is no end of
/// what would have to be put in its place.
bool comesToItself(const Function &outlined) {
  SmallSetVector<const Function *, 16> reached;
  reached.insert(&outlined);
  for (unsigned at = 0; at < reached.size(); ++at) {
    for (const Instruction &inst : instructions(*reached[at])) {
      if (!isa<CallBase>(inst)) {
        continue;
      }
      for (const Use &operand : inst.operands()) {
        const auto *function = dyn_cast<Function>(operand.get());
        if (function == &outlined) {
          return true;
        }
        if (function) {
          reached.insert(function);
        }
      }
    }
  }
  return false;
}

} // namespace

void eraseCalls(Function &function, function_ref<bool(CallKind)> isMeant) {
  for (Instruction &inst : make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<CallInst>(&inst);
    if (call && isMeant(kindOf(*call))) {
      assert(call->use_empty());
      call->eraseFromParent();
    }
  }
}

void answerOne(Function &function) {
  for (Instruction &inst : make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<CallInst>(&inst);
    if (call && kindOf(*call) == CallKind::Reduce) {
      call->replaceAllUsesWith(ConstantInt::get(call->getType(), 1));
      call->eraseFromParent();
    }
  }
  eraseCalls(function, isEndReduce);
  for (BasicBlock &block : function) {
    ConstantFoldTerminator(&block);
  }
  removeUnreachableBlocks(function);
}

bool inlineFork(CallInst &fork, Function &part, ArrayRef<Value *> more) {
  const Function &outer = *fork.getFunction();
  SmallVector<Value *, 16> operands{outer.getArg(0), outer.getArg(1)};
  operands.append(fork.arg_begin() + kFirstCapture, fork.arg_end());
  append_range(operands, more);
  IRBuilder<> build(&fork);
  CallInst *call = build.CreateCall(&part, operands);
  call->setDebugLoc(fork.getDebugLoc());
  fork.eraseFromParent();
  InlineFunctionInfo info;
  const bool isDone = InlineFunction(*call, info).isSuccess();
  if (!isDone) {
    call->eraseFromParent();
  }
  part.eraseFromParent();
  return isDone;
}

bool serialiseFork(CallInst &fork, FunctionAnalysisManager &analyses) {
  if (comesToItself(*outlinedOf(fork))) {
    return false;
  }
  Function *part = promotedCopy(*outlinedOf(fork), outlinedOf(fork)->getName() + ".part", analyses);
  serialiseForks(*part, analyses);
  CallInst *init = checkSerial(*part, fork);
  if (!init) {
    part->eraseFromParent();
    return false;
  }
  takeAll(*init);
  answerOne(*part);
  eraseCalls(*part, [](CallKind kind) {
    return kind == CallKind::StaticEnd || kind == CallKind::Barrier;
  });
  return inlineFork(fork, *part);
}

bool serialiseForks(Function &outlined, FunctionAnalysisManager &analyses) {
  const SmallVector<CallInst *, 4> forks = forksIn(outlined);
  const auto done = count_if(forks, [&](CallInst *fork) { return serialiseFork(*fork, analyses); });
  if (done == 0) {
    return false;
  }
  if (static_cast<std::size_t>(done) == forks.size()) {
    eraseCalls(outlined, isThreadRequest);
  }
  // What was captured by its address is again a value.
  splitVariables(outlined, analyses, SROAOptions::PreserveCFG);
  return true;
}

} // namespace tutti::compiler
