// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/before_fork.h"

#include "compiler/ir/construct_calls.h"
#include "compiler/ir/forks.h"

#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

Value *compute(CallInst &fork, Value *value, unsigned depth) {
  constexpr unsigned kDeepest = 12;
  if (isa<Constant>(value)) {
    return value;
  }
  if (const auto *argument = dyn_cast<Argument>(value)) {
    return argument->getArgNo() < kThreadArguments
               ? nullptr
               : fork.getArgOperand(argument->getArgNo() - kThreadArguments + kFirstCapture);
  }
  auto *inst = dyn_cast<Instruction>(value);
  const auto *load = dyn_cast_or_null<LoadInst>(inst);
  if (depth == kDeepest || !inst || (load && !load->isSimple()) ||
      !(load || isa<CastInst, CmpInst, GetElementPtrInst, SelectInst>(inst) ||
        (isa<BinaryOperator>(inst) && !inst->isIntDivRem()))) {
    return nullptr;
  }
  SmallVector<Value *, 4> operands;
  for (Value *operand : inst->operands()) {
    operands.push_back(compute(fork, operand, depth + 1));
    if (!operands.back()) {
      return nullptr;
    }
  }
  Instruction *copy = inst->clone();
  for (unsigned index = 0; index < operands.size(); ++index) {
    copy->setOperand(index, operands[index]);
  }
  copy->dropUnknownNonDebugMetadata();
  copy->setDebugLoc(fork.getDebugLoc()); // Its own lies in another function.
  copy->insertBefore(&fork);
  return copy;
}

} // namespace

CallInst *requestFor(CallInst &fork) {
  for (Instruction *inst = fork.getPrevNode(); inst; inst = inst->getPrevNode()) {
    const CallKind kind = kindOf(*inst);
    if (kind == CallKind::RequestTeams) {
      return cast<CallInst>(inst);
    }
    if (kind == CallKind::ForkTeams) {
      break;
    }
  }
  return nullptr;
}

Value *computeBefore(CallInst &fork, Value *value) { return compute(fork, value, 0); }

} // namespace tutti::compiler
