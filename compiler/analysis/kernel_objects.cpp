// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/kernel_objects.h"

#include "compiler/ir/kernel.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tutti::compiler {

bool isOwnMemory(const Value *pointer) {
  const Value *object = getUnderlyingObject(pointer, 0);
  if (const auto *argument = dyn_cast<Argument>(object)) {
    return argument->getArgNo() == kernel::Partials;
  }
  // Of calls, only those that lead to local memory return a pointer.
  return isa<AllocaInst, GlobalVariable, CallInst>(object);
}

const Argument *parameterOf(const Value *pointer) {
  const auto *root = dyn_cast<IntToPtrInst>(getUnderlyingObject(pointer, 0));
  if (!root) {
    return nullptr;
  }
  const Argument *object = nullptr;
  SmallVector<const Value *, 8> work{root->getOperand(0)};
  while (!work.empty()) {
    const Value *value = work.pop_back_val();
    if (const auto *argument = dyn_cast<Argument>(value)) {
      if (argument->getArgNo() >= kernel::FirstCapture) {
        if (object && object != argument) {
          return nullptr;
        }
        object = argument;
      }
    } else if (isa<BinaryOperator, SelectInst, ICmpInst, CastInst>(value)) {
      append_range(work, cast<Instruction>(value)->operands());
    } else if (!isa<ConstantInt>(value)) {
      return nullptr;
    }
  }
  return object;
}

} // namespace tutti::compiler
