// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/target/fast_math.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tutti::compiler::target {

namespace {

/// The root that `value` is, if it may be approximated.
IntrinsicInst *fastRoot(Value *value) {
  auto *root = dyn_cast<IntrinsicInst>(value);
  return root && root->getIntrinsicID() == Intrinsic::sqrt && root->hasApproxFunc() ? root
                                                                                    : nullptr;
}

CallInst *callFast(IRBuilder<> &build, StringRef name, Type *type, ArrayRef<Value *> arguments) {
  const SmallVector<Type *, 2> types(arguments.size(), type);
  Module &module = *build.GetInsertBlock()->getModule();
  FunctionCallee callee =
      module.getOrInsertFunction(name, FunctionType::get(type, types, /*isVarArg=*/false));
  auto *function = cast<Function>(callee.getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setSpeculatable();
  CallInst *call = build.CreateCall(callee, arguments);
  call->setFastMathFlags(build.getFastMathFlags());
  return call;
}

Value *reciprocalOf(IRBuilder<> &build, IntrinsicInst &root) {
  Type *type = root.getType();
  CallInst *call = callFast(build, type->isFloatTy() ? kFastRootReciprocalF : kFastRootReciprocal,
                            type, {root.getArgOperand(0)});
  FastMathFlags flags = root.getFastMathFlags();
  flags &= build.getFastMathFlags();
  call->setFastMathFlags(flags);
  return call;
}

/// The quotient in another form, or null.
Value *quotient(BinaryOperator &division) {
  IRBuilder<> build(&division);
  build.setFastMathFlags(division.getFastMathFlags());
  Value *dividend = division.getOperand(0);
  Value *divisor = division.getOperand(1);
  if (IntrinsicInst *root = fastRoot(divisor)) {
    return build.CreateFMul(dividend, reciprocalOf(build, *root));
  }
  auto *product = dyn_cast<BinaryOperator>(divisor);
  if (product && product->getOpcode() == Instruction::FMul && product->hasAllowReassoc() &&
      division.hasAllowReassoc()) {
    for (const unsigned which : {0U, 1U}) {
      Value *other = product->getOperand(1 - which);
      IntrinsicInst *root = fastRoot(product->getOperand(which));
      if (!root) {
        continue;
      }
      Value *reciprocal = reciprocalOf(build, *root);
      Value *scaled = build.CreateFMul(dividend, reciprocal);
      return other == root->getArgOperand(0)
                 ? build.CreateFMul(scaled, build.CreateFMul(reciprocal, reciprocal))
                 : build.CreateFDiv(scaled, other);
    }
  }
  return nullptr;
}

Value *floatQuotient(BinaryOperator &division) {
  IRBuilder<> build(&division);
  return callFast(build, kFastQuotientF, division.getType(),
                  {division.getOperand(0), division.getOperand(1)});
}

void replace(Instruction &inst, Value &better) {
  inst.replaceAllUsesWith(&better);
  RecursivelyDeleteTriviallyDeadInstructions(&inst);
}

SmallVector<BinaryOperator *, 4> fastDivisions(Function &function) {
  SmallVector<BinaryOperator *, 4> divisions;
  for (Instruction &inst : instructions(function)) {
    auto *division = dyn_cast<BinaryOperator>(&inst);
    const bool isScalar = inst.getType()->isFloatTy() || inst.getType()->isDoubleTy();
    if (division && isScalar && division->getOpcode() == Instruction::FDiv &&
        division->hasAllowReciprocal()) {
      divisions.push_back(division);
    }
  }
  return divisions;
}

} // namespace

void useFastMath(Function &function) {
  for (BinaryOperator *division : fastDivisions(function)) {
    if (Value *better = quotient(*division)) {
      replace(*division, *better);
    }
  }
  // Also of what was just made.
  for (BinaryOperator *division : fastDivisions(function)) {
    if (division->getType()->isFloatTy() && division->hasApproxFunc()) {
      replace(*division, *floatQuotient(*division));
    }
  }
  for (Instruction &inst : make_early_inc_range(instructions(function))) {
    IntrinsicInst *root = inst.getType()->isFloatTy() ? fastRoot(&inst) : nullptr;
    if (root) {
      IRBuilder<> build(root);
      replace(*root, *callFast(build, kFastRootF, root->getType(), {root->getArgOperand(0)}));
    }
  }
}

} // namespace tutti::compiler::target
