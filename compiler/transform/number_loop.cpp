// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/number_loop.h"

#include "compiler/analysis/endings.h"
#include "compiler/ir/construct_calls.h"
#include "compiler/ir/function_copies.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace tutti::compiler {

NumberShare shareNumbers(IRBuilder<> &build, const CallInst &fork, Value &self, Value &final) {
  Function &function = *build.GetInsertBlock()->getParent();
  const ConstructCalls &calls = frontendOf(fork);
  IRBuilder<> entry(&function.getEntryBlock(), function.getEntryBlock().begin());
  Type *i64 = entry.getInt64Ty();
  Value *isLast = entry.CreateAlloca(entry.getInt32Ty(), nullptr, "last");
  Value *lower = entry.CreateAlloca(i64, nullptr, "lower");
  Value *upper = entry.CreateAlloca(i64, nullptr, "upper");
  Value *stride = entry.CreateAlloca(i64, nullptr, "stride");
  build.CreateStore(build.getInt32(0), isLast);
  build.CreateStore(build.getInt64(0), lower);
  build.CreateStore(&final, upper);
  build.CreateStore(build.getInt64(1), stride);
  CallInst *init = build.CreateCall(calls.declare(*function.getParent(), CallKind::StaticInit),
                                    {operandOf(fork, Role::Place), &self,
                                     build.getInt32(calls.withSchedule(0, Schedule::Even)), isLast,
                                     lower, upper, stride, build.getInt64(1), build.getInt64(1)});
  Value *given = build.CreateLoad(i64, upper);
  Value *last = build.CreateSelect(build.CreateICmpSGT(given, &final), &final, given);
  return {build.CreateLoad(i64, lower), last, init};
}

void endNumbers(IRBuilder<> &build, const CallInst &fork, Value &self) {
  Module &module = *build.GetInsertBlock()->getModule();
  build.CreateCall(frontendOf(fork).declare(module, CallKind::StaticEnd),
                   {operandOf(fork, Role::Place), &self});
}

BasicBlock::iterator gatherVariables(Function &function) {
  BasicBlock &entry = function.getEntryBlock();
  BasicBlock::iterator place = entry.begin();
  for (Instruction &inst : make_early_inc_range(entry)) {
    auto *variable = dyn_cast<AllocaInst>(&inst);
    if (variable && variable->isStaticAlloca()) {
      if (&*place == variable) {
        ++place;
      } else {
        variable->moveBefore(entry, place);
      }
    }
  }
  return place;
}

void dropLandings(Function &function) {
  const auto last = findLastBlocks(function);
  SmallVector<InvokeInst *, 4> calls;
  for (Instruction &inst : instructions(function)) {
    auto *invoke = dyn_cast<InvokeInst>(&inst);
    if (invoke && last.contains(invoke->getUnwindDest())) {
      calls.push_back(invoke);
    }
  }
  for (InvokeInst *invoke : calls) {
    changeToCall(invoke);
  }
  removeUnreachableBlocks(function);
}

Function *withCaptures(Function &outlined, ArrayRef<Type *> types) {
  SmallVector<Type *, 16> all(outlined.getFunctionType()->params());
  append_range(all, types);
  Function *copy = Function::Create(FunctionType::get(outlined.getReturnType(), all, false),
                                    GlobalValue::InternalLinkage, outlined.getName() + ".team",
                                    outlined.getParent());
  ValueToValueMapTy map;
  for (Argument &argument : outlined.args()) {
    map[&argument] = copy->getArg(argument.getArgNo());
    copy->getArg(argument.getArgNo())->setName(argument.getName());
  }
  copyInto(*copy, outlined, map);
  return copy;
}

} // namespace tutti::compiler
