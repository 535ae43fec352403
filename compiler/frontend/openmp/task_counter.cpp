// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/openmp/task_counter.h"

#include "compiler/frontend/openmp/task_loop_form.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace tutti::compiler::openmp {

namespace {

/// Whether a variable that is counted up in `value`'s place is one with a sign.
bool isCountedWithSign(const Value &value) {
  const auto *load = dyn_cast<LoadInst>(&value);
  return load && any_of(load->getPointerOperand()->users(), [](const User *user) {
           const auto *store = dyn_cast<StoreInst>(user);
           const auto *sum =
               store ? dyn_cast<OverflowingBinaryOperator>(store->getValueOperand()) : nullptr;
           return sum && sum->getOpcode() == Instruction::Add && sum->hasNoSignedWrap();
         });
}

/// A comparison of a task's counter with its last iteration, or with the one behind it.
struct Comparison {
  ICmpInst *compare = nullptr;
  LoadInst *upper = nullptr;
  bool isBehind = false;
};

/// All that the function of a task does with its last iteration; empty if it has another form.
SmallVector<Comparison, 2> comparisonsOf(const AllocaInst &upper) {
  SmallVector<Comparison, 2> found;
  for (const User *user : upper.users()) {
    auto *load = const_cast<LoadInst *>(dyn_cast<LoadInst>(user));
    if (isa<StoreInst>(user) || isLifetime(*user)) {
      continue;
    }
    if (!load || !load->hasOneUse()) {
      return {};
    }
    auto *limit = dyn_cast<Instruction>(load->user_back());
    const bool isBehind = limit->getOpcode() == Instruction::Add && limit->hasOneUse() &&
                          isa<ConstantInt>(limit->getOperand(1)) &&
                          cast<ConstantInt>(limit->getOperand(1))->isOne();
    auto *compare = dyn_cast<ICmpInst>(isBehind ? limit->user_back() : limit);
    const auto expected = isBehind ? ICmpInst::ICMP_ULT : ICmpInst::ICMP_ULE;
    if (!compare || compare->getPredicate() != expected ||
        compare->getOperand(1) != (isBehind ? limit : static_cast<Value *>(load))) {
      return {};
    }
    found.push_back({compare, load, isBehind});
  }
  return found;
}

/// The counter that is compared; its type is null if it has another form.
Counter counterOf(const Comparison &comparison) {
  const Value *counter = comparison.compare->getOperand(0);
  if (isa<SExtInst, ZExtInst>(counter)) {
    const auto *wide = cast<CastInst>(counter);
    return {wide->getSrcTy()->isIntegerTy(32) ? wide->getSrcTy() : nullptr, isa<SExtInst>(wide)};
  }
  return {counter->getType(), isCountedWithSign(*counter)};
}

} // namespace

Counter narrowComparisons(Function &body) {
  const AllocaInst *upper = variableOf(*body.getArg(kBodyUpper));
  const SmallVector<Comparison, 2> comparisons =
      upper ? comparisonsOf(*upper) : SmallVector<Comparison, 2>();
  Counter counter;
  for (const Comparison &comparison : comparisons) {
    const Counter own = counterOf(comparison);
    if (!own.type ||
        (counter.type && (counter.type != own.type || counter.isSigned != own.isSigned))) {
      return {};
    }
    counter = own;
  }
  for (const Comparison &comparison : comparisons) {
    IRBuilder<> build(comparison.compare);
    Value *counted = comparison.compare->getOperand(0);
    if (auto *wide = dyn_cast<CastInst>(counted)) {
      counted = wide->getOperand(0);
    }
    Value *limit = build.CreateTrunc(comparison.upper, counter.type);
    if (comparison.isBehind) {
      limit = build.CreateAdd(limit, ConstantInt::get(counter.type, 1), "", !counter.isSigned,
                              counter.isSigned);
    }
    const auto predicate = comparison.isBehind
                               ? (counter.isSigned ? ICmpInst::ICMP_SLT : ICmpInst::ICMP_ULT)
                               : (counter.isSigned ? ICmpInst::ICMP_SLE : ICmpInst::ICMP_ULE);
    comparison.compare->replaceAllUsesWith(build.CreateICmp(predicate, counted, limit));
    comparison.compare->eraseFromParent();
  }
  return counter;
}

} // namespace tutti::compiler::openmp
