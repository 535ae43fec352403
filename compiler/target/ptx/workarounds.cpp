// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/target/ptx/workarounds.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tutti::compiler::target {

namespace {

/// -`number`, an i16, in 32 bits; the assembly, which is empty, keeps LLVM from narrowing it again.
Value *negated(IRBuilder<> &builder, Value *number) {
  Type *i32 = builder.getInt32Ty();
  Value *wide = builder.CreateNeg(builder.CreateZExt(number, i32));
  auto *type = FunctionType::get(i32, {i32}, false);
  Value *hidden = builder.CreateCall(InlineAsm::get(type, "", "=r,0", false), {wide});
  return builder.CreateTrunc(hidden, number->getType());
}

/// What to put in the place of `inst`, or null.
Value *replacement(Instruction &inst) {
  IRBuilder<> builder(&inst);
  if (auto *cast = dyn_cast<SIToFPInst>(&inst); cast && cast->getSrcTy()->isIntegerTy(1)) {
    return builder.CreateSelect(cast->getOperand(0), ConstantFP::get(cast->getType(), -1.0),
                                ConstantFP::get(cast->getType(), 0.0));
  }
  if (!inst.getType()->isIntegerTy(16)) {
    return nullptr;
  }
  Value *number = nullptr;
  if (match(&inst, m_Neg(m_Value(number))) && !inst.hasNoSignedWrap()) {
    return negated(builder, number);
  }
  if (match(&inst, m_Intrinsic<Intrinsic::abs>(m_Value(number), m_Zero()))) {
    Value *isNegative = builder.CreateICmpSLT(number, builder.getInt16(0));
    return builder.CreateSelect(isNegative, negated(builder, number), number);
  }
  return nullptr;
}

} // namespace

void workAround(Module &kernels) {
  for (Function &function : kernels) {
    for (Instruction &inst : make_early_inc_range(instructions(function))) {
      if (Value *better = replacement(inst)) {
        inst.replaceAllUsesWith(better);
        inst.eraseFromParent();
      }
    }
  }
}

} // namespace tutti::compiler::target
