// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/target/opencl/expressions.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tutti::compiler::target::opencl {

namespace {

/// "as_double"
std::string reinterpretation(const Type &type) { return "as_" + typeName(type); }

} // namespace

Expressions::Expressions(const Function &kernel, const DataLayout &layout)
    : layout_(layout), spaces_(kernel), reason_(spaces_.reason()) {}

void Expressions::refuse(const Twine &reason) {
  if (reason_.empty()) {
    reason_ = reason.str();
  }
}

std::string Expressions::refused(const Twine &reason) {
  refuse(reason);
  return "0";
}

std::string Expressions::typeOf(const Value &value) {
  if (value.getType()->isPointerTy()) {
    return pointerType(space(value));
  }
  const std::string name = typeName(*value.getType());
  if (name.empty()) {
    refuse(value.getType()->isIntegerTy()  ? "computes with integers of more than 64 bits"
           : value.getType()->isVectorTy() ? "computes with vectors"
                                           : "computes with structures as values");
  }
  return name;
}

std::string Expressions::operand(const Value &value) {
  if (const auto known = names_.find(&value); known != names_.end()) {
    return known->second;
  }
  const Type &type = *value.getType();
  if (const auto *number = dyn_cast<ConstantInt>(&value);
      number && type.getIntegerBitWidth() <= 64) {
    return integer(number->getZExtValue(), type.getIntegerBitWidth());
  }
  if (const auto *number = dyn_cast<ConstantFP>(&value)) {
    return floating(*number);
  }
  if (isa<ConstantPointerNull, UndefValue>(value) && isPrintable(type)) {
    return "(" + typeOf(value) + ")0";
  }
  if (const auto *expression = dyn_cast<ConstantExpr>(&value)) {
    if (const auto *gep = dyn_cast<GEPOperator>(expression)) {
      return "(" + element(*gep) + ")";
    }
    if (expression->getOpcode() == Instruction::IntToPtr) {
      return "((__global uchar *)" + operand(*expression->getOperand(0)) + ")";
    }
  }
  return refused("uses a constant of an unusual form");
}

std::string Expressions::operandFor(const Value &target, const Value &value) {
  const std::string text = operand(value);
  if (!value.getType()->isPointerTy() || keyword(space(target)) == keyword(space(value))) {
    return text;
  }
  return "(" + pointerType(space(target)) + ")(ulong)" + text;
}

std::string Expressions::asSigned(const Value &value) {
  const unsigned bits = value.getType()->getIntegerBitWidth();
  const std::string text = operand(value);
  if (fillsContainer(bits)) {
    return "(" + signedType(bits) + ")" + text;
  }
  if (bits == 1) {
    return "-(int)" + text;
  }
  const std::string distance = utostr(64 - bits);
  return "((long)((ulong)" + text + " << " + distance + ") >> " + distance + ")";
}

std::string Expressions::wrap(const std::string &text, const Type &type) {
  const unsigned bits = type.getIntegerBitWidth();
  if (fillsContainer(bits)) {
    return "(" + unsignedType(bits) + ")(" + text + ")";
  }
  return "(" + unsignedType(bits) + ")((" + text + ") & " + (bits == 1 ? "1" : mask(bits)) + ")";
}

std::string Expressions::binary(const BinaryOperator &inst) {
  const Value &left = *inst.getOperand(0);
  const Value &right = *inst.getOperand(1);
  if (inst.getOpcode() == Instruction::FRem) {
    return "fmod(" + operand(left) + ", " + operand(right) + ")";
  }
  const std::string op = symbol(inst.getOpcode()).str();
  if (inst.getType()->isFloatingPointTy()) {
    return operand(left) + op + operand(right);
  }
  switch (inst.getOpcode()) {
  case Instruction::SDiv:
  case Instruction::SRem:
    return wrap("(" + asSigned(left) + ")" + op + "(" + asSigned(right) + ")", *inst.getType());
  case Instruction::AShr:
    return wrap("(" + asSigned(left) + ")" + op + operand(right), *inst.getType());
  default:
    break;
  }
  const unsigned bits = inst.getType()->getIntegerBitWidth();
  if (bits == 32 || bits == 64) {
    return operand(left) + op + operand(right);
  }
  // Not as `int`, which shorter types become: its products overflow.
  const std::string wide = bits < 32 ? "(uint)" : "";
  return wrap(wide + operand(left) + op + wide + operand(right), *inst.getType());
}

std::string Expressions::conversion(const CastInst &inst) {
  const Value &from = *inst.getOperand(0);
  const Type &type = *inst.getType();
  const std::string name = typeOf(inst);
  switch (inst.getOpcode()) {
  case Instruction::Trunc:
    return wrap(operand(from), type);
  case Instruction::ZExt:
  case Instruction::UIToFP:
  case Instruction::FPTrunc:
  case Instruction::FPExt:
    return "(" + name + ")" + operand(from);
  case Instruction::SExt:
    return wrap("(long)(" + asSigned(from) + ")", type);
  case Instruction::SIToFP:
    return "(" + name + ")(" + asSigned(from) + ")";
  case Instruction::FPToUI:
    return wrap((type.getIntegerBitWidth() <= 32 ? "(uint)" : "(ulong)") + operand(from), type);
  case Instruction::FPToSI:
    return wrap((type.getIntegerBitWidth() <= 32 ? "(int)" : "(long)") + operand(from), type);
  case Instruction::PtrToInt:
    return wrap("(ulong)" + operand(from), type);
  case Instruction::IntToPtr:
    return "(" + name + ")(ulong)" + operand(from);
  case Instruction::BitCast:
    return from.getType() == &type ? operand(from)
                                   : reinterpretation(type) + "(" + operand(from) + ")";
  default:
    return refused(Twine("uses ") + inst.getOpcodeName());
  }
}

std::string Expressions::compareIntegers(const ICmpInst &inst) {
  const Value &left = *inst.getOperand(0);
  const Value &right = *inst.getOperand(1);
  const CmpInst::Predicate predicate = inst.getUnsignedPredicate();
  const StringRef sign = predicate == CmpInst::ICMP_EQ    ? " == "
                         : predicate == CmpInst::ICMP_NE  ? " != "
                         : predicate == CmpInst::ICMP_ULT ? " < "
                         : predicate == CmpInst::ICMP_ULE ? " <= "
                         : predicate == CmpInst::ICMP_UGT ? " > "
                                                          : " >= ";
  if (left.getType()->isPointerTy()) {
    return "(ulong)" + operand(left) + sign.str() + "(ulong)" + operand(right);
  }
  if (inst.isSigned()) {
    return "(" + asSigned(left) + ")" + sign.str() + "(" + asSigned(right) + ")";
  }
  return operand(left) + sign.str() + operand(right);
}

std::string Expressions::compareFloating(const FCmpInst &inst) {
  const std::string left = operand(*inst.getOperand(0));
  const std::string right = operand(*inst.getOperand(1));
  const auto with = [&](StringRef op) { return left + op.str() + right; };
  // C's relations are ordered, all but !=. The unordered ones are their opposites' opposites.
  switch (inst.getPredicate()) {
  case CmpInst::FCMP_FALSE:
    return "false";
  case CmpInst::FCMP_TRUE:
    return "true";
  case CmpInst::FCMP_OEQ:
    return with(" == ");
  case CmpInst::FCMP_OGT:
    return with(" > ");
  case CmpInst::FCMP_OGE:
    return with(" >= ");
  case CmpInst::FCMP_OLT:
    return with(" < ");
  case CmpInst::FCMP_OLE:
    return with(" <= ");
  case CmpInst::FCMP_ONE:
    return with(" < ") + " || " + with(" > ");
  case CmpInst::FCMP_ORD:
    return left + " == " + left + " && " + right + " == " + right;
  case CmpInst::FCMP_UNO:
    return left + " != " + left + " || " + right + " != " + right;
  case CmpInst::FCMP_UEQ:
    return "!(" + with(" < ") + " || " + with(" > ") + ")";
  case CmpInst::FCMP_UGT:
    return "!(" + with(" <= ") + ")";
  case CmpInst::FCMP_UGE:
    return "!(" + with(" < ") + ")";
  case CmpInst::FCMP_ULT:
    return "!(" + with(" >= ") + ")";
  case CmpInst::FCMP_ULE:
    return "!(" + with(" > ") + ")";
  case CmpInst::FCMP_UNE:
    return with(" != ");
  default:
    llvm_unreachable("a predicate of fcmp");
  }
}

std::string Expressions::element(const GEPOperator &inst) {
  const unsigned bits = layout_.getIndexTypeSizeInBits(inst.getType());
  MapVector<Value *, APInt> variable;
  APInt constant(bits, 0);
  if (!inst.collectOffset(layout_, bits, variable, constant)) {
    return refused("computes an address in an unusual way");
  }
  std::string offset;
  const auto add = [&](const std::string &term) { offset += (offset.empty() ? "" : " + ") + term; };
  for (const auto &[index, scale] : variable) {
    std::string term = index->getType()->getIntegerBitWidth() == 64
                           ? operand(*index)
                           : "(ulong)(long)(" + asSigned(*index) + ")";
    add(scale.isOne() ? term : term + " * " + integer(scale.getZExtValue(), 64));
  }
  const Value &base = *inst.getPointerOperand();
  const Space where = space(base);
  if (variable.empty()) {
    add(itostr(constant.getSExtValue()) + "l");
  } else if (!constant.isZero()) {
    add(integer(constant.getZExtValue(), 64));
  }
  // C's additions of pointers stay inside of an object. Others are additions of numbers, which is
  // bad only for memory that compilers of OpenCL C should keep in registers, and for the arena.
  const bool isShared = where == Space::Global || where == Space::Unknown || where == Space::Any;
  if (isShared && !inst.isInBounds() && !isa<Argument>(base)) {
    return "(" + pointerType(where) + ")((ulong)" + operand(base) + " + " +
           (variable.empty() ? "(ulong)" + offset : offset) + ")";
  }
  return operand(base) + " + (long)(" + offset + ")";
}

std::string Expressions::compute(const Instruction &inst) {
  if (const auto *operation = dyn_cast<BinaryOperator>(&inst)) {
    return binary(*operation);
  }
  if (const auto *cast = dyn_cast<CastInst>(&inst)) {
    return conversion(*cast);
  }
  if (const auto *compare = dyn_cast<ICmpInst>(&inst)) {
    return compareIntegers(*compare);
  }
  if (const auto *compare = dyn_cast<FCmpInst>(&inst)) {
    return compareFloating(*compare);
  }
  if (const auto *gep = dyn_cast<GetElementPtrInst>(&inst)) {
    return element(cast<GEPOperator>(*gep));
  }
  if (const auto *load = dyn_cast<LoadInst>(&inst)) {
    return this->load(*load);
  }
  switch (inst.getOpcode()) {
  case Instruction::FNeg:
    return "-" + operand(*inst.getOperand(0));
  case Instruction::Freeze:
    return operand(*inst.getOperand(0));
  case Instruction::Select:
    return operand(*inst.getOperand(0)) + " ? " + operandFor(inst, *inst.getOperand(1)) + " : " +
           operandFor(inst, *inst.getOperand(2));
  default:
    return refused(Twine("uses ") + inst.getOpcodeName());
  }
}

} // namespace tutti::compiler::target::opencl
