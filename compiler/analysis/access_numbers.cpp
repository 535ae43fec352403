// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/access_numbers.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

constexpr StringLiteral kAccessNumber = "tutti.access";

} // namespace

void numberAccesses(Function &outlined) {
  LLVMContext &context = outlined.getContext();
  unsigned number = 0;
  for (Instruction &inst : instructions(outlined)) {
    if (isa<LoadInst, StoreInst, AnyMemIntrinsic>(inst)) {
      Constant *value = ConstantInt::get(Type::getInt32Ty(context), number++);
      inst.setMetadata(kAccessNumber, MDNode::get(context, ConstantAsMetadata::get(value)));
    }
  }
}

std::optional<unsigned> accessNumber(const Instruction &access) {
  const MDNode *number = access.getMetadata(kAccessNumber);
  return number ? std::optional<unsigned>(
                      mdconst::extract<ConstantInt>(number->getOperand(0))->getZExtValue())
                : std::nullopt;
}

void dropAccessNumbers(Function &function) {
  for (Instruction &inst : instructions(function)) {
    inst.setMetadata(kAccessNumber, nullptr);
  }
}

void copyAccessNumber(const Instruction &from, Instruction &to) {
  to.setMetadata(kAccessNumber, from.getMetadata(kAccessNumber));
}

} // namespace tutti::compiler
