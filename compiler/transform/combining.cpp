// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/combining.h"

#include "llvm/ADT/APInt.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace tutti::compiler {

Operation combining(Operation operation) {
  switch (operation) {
  case AtomicRMWInst::Sub:
    return AtomicRMWInst::Add;
  case AtomicRMWInst::FSub:
    return AtomicRMWInst::FAdd;
  default:
    return operation;
  }
}

Value *combine(IRBuilder<> &build, Operation operation, Value *one, Value *other) {
  switch (operation) {
  case AtomicRMWInst::Add:
    return build.CreateAdd(one, other);
  case AtomicRMWInst::Sub:
    return build.CreateSub(one, other);
  case AtomicRMWInst::FAdd:
    return build.CreateFAdd(one, other);
  case AtomicRMWInst::FSub:
    return build.CreateFSub(one, other);
  case AtomicRMWInst::And:
    return build.CreateAnd(one, other);
  case AtomicRMWInst::Or:
    return build.CreateOr(one, other);
  case AtomicRMWInst::Xor:
    return build.CreateXor(one, other);
  case AtomicRMWInst::Max:
    return build.CreateBinaryIntrinsic(Intrinsic::smax, one, other);
  case AtomicRMWInst::Min:
    return build.CreateBinaryIntrinsic(Intrinsic::smin, one, other);
  case AtomicRMWInst::UMax:
    return build.CreateBinaryIntrinsic(Intrinsic::umax, one, other);
  case AtomicRMWInst::UMin:
    return build.CreateBinaryIntrinsic(Intrinsic::umin, one, other);
  case AtomicRMWInst::FMax:
    return build.CreateMaxNum(one, other);
  case AtomicRMWInst::FMin:
    return build.CreateMinNum(one, other);
  default:
    llvm_unreachable("an operation of which the order matters");
  }
}

Constant *identity(Operation operation, Type *type) {
  const auto integer = [type](const APInt &value) { return ConstantInt::get(type, value); };
  switch (operation) {
  case AtomicRMWInst::FAdd:
    return ConstantFP::getNegativeZero(type);
  case AtomicRMWInst::FMax:
  case AtomicRMWInst::FMin:
    return ConstantFP::getNaN(type);
  case AtomicRMWInst::And:
  case AtomicRMWInst::UMin:
    return Constant::getAllOnesValue(type);
  case AtomicRMWInst::Max:
    return integer(APInt::getSignedMinValue(type->getIntegerBitWidth()));
  case AtomicRMWInst::Min:
    return integer(APInt::getSignedMaxValue(type->getIntegerBitWidth()));
  default:
    return Constant::getNullValue(type);
  }
}

Constant *worst(CmpInst::Predicate choice, Type *type) {
  switch (choice) {
  case CmpInst::FCMP_OGT:
    return ConstantFP::getInfinity(type, /*Negative=*/true);
  case CmpInst::FCMP_OLT:
    return ConstantFP::getInfinity(type);
  case CmpInst::ICMP_SGT:
    return identity(AtomicRMWInst::Max, type);
  case CmpInst::ICMP_SLT:
    return identity(AtomicRMWInst::Min, type);
  case CmpInst::ICMP_ULT:
    return identity(AtomicRMWInst::UMin, type);
  default:
    return identity(AtomicRMWInst::UMax, type);
  }
}

Function *declareCombiner(Function &of) {
  LLVMContext &context = of.getContext();
  Type *ptr = PointerType::getUnqual(context);
  Function *function =
      Function::Create(FunctionType::get(Type::getVoidTy(context), {ptr, ptr}, false),
                       GlobalValue::InternalLinkage, of.getName() + ".combine", of.getParent());
  function->addFnAttr(Attribute::NoUnwind);
  return function;
}

} // namespace tutti::compiler
