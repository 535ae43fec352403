// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/target/opencl/values.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Instruction.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tutti::compiler::target::opencl {

StringRef keyword(Space space) {
  switch (space) {
  case Space::Private:
    return "__private";
  case Space::Local:
    return "__local";
  case Space::Constant:
    return "__constant";
  case Space::Any:
  case Space::Global:
  case Space::Unknown:
    return "__global";
  }
  llvm_unreachable("all spaces are listed");
}

std::string pointerType(Space space) { return (keyword(space) + " uchar *").str(); }

unsigned containerBits(unsigned bits) { return std::max<unsigned>(8, PowerOf2Ceil(bits)); }

bool fillsContainer(unsigned bits) { return bits == containerBits(bits); }

std::string unsignedType(unsigned bits) { return bits == 1 ? "bool" : "u" + signedType(bits); }

std::string signedType(unsigned bits) {
  switch (containerBits(bits)) {
  case 8:
    return "char";
  case 16:
    return "short";
  case 32:
    return "int";
  default:
    return "long";
  }
}

std::string typeName(const Type &type) {
  if (type.isIntegerTy() && type.getIntegerBitWidth() <= 64) {
    return unsignedType(type.getIntegerBitWidth());
  }
  return type.isFloatTy() ? "float" : type.isDoubleTy() ? "double" : "";
}

bool isPrintable(const Type &type) { return type.isPointerTy() || !typeName(type).empty(); }

std::string integer(uint64_t value, unsigned bits) {
  if (bits == 1) {
    return value ? "true" : "false";
  }
  switch (containerBits(bits)) {
  case 64:
    return utostr(value) + "ul";
  case 32:
    return utostr(value) + "u";
  default:
    return "(" + unsignedType(bits) + ")" + utostr(value);
  }
}

std::string mask(unsigned bits) {
  return "0x" + utohexstr(maskTrailingOnes<uint64_t>(bits)) + "ul";
}

StringRef symbol(unsigned opcode) {
  switch (opcode) {
  case Instruction::Add:
  case Instruction::FAdd:
    return " + ";
  case Instruction::Sub:
  case Instruction::FSub:
    return " - ";
  case Instruction::Mul:
  case Instruction::FMul:
    return " * ";
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::FDiv:
    return " / ";
  case Instruction::URem:
  case Instruction::SRem:
    return " % ";
  case Instruction::Shl:
    return " << ";
  case Instruction::LShr:
  case Instruction::AShr:
    return " >> ";
  case Instruction::And:
    return " & ";
  case Instruction::Or:
    return " | ";
  case Instruction::Xor:
    return " ^ ";
  default:
    return "";
  }
}

std::string floating(const ConstantFP &value) {
  const APFloat &number = value.getValueAPF();
  const bool isFloat = value.getType()->isFloatTy();
  if (!number.isFinite()) {
    const std::string bits = utohexstr(number.bitcastToAPInt().getZExtValue());
    return isFloat ? "as_float(0x" + bits + "u)" : "as_double(0x" + bits + "ul)";
  }
  char text[64];
  number.convertToHexString(text, 0, false, APFloat::rmNearestTiesToEven);
  const std::string digits = std::string(text) + (isFloat ? "f" : "");
  return number.isNegative() ? "(" + digits + ")" : digits;
}

bool bytesOf(const Constant &value, const DataLayout &layout, MutableArrayRef<uint8_t> bytes) {
  if (value.isNullValue() || isa<UndefValue>(value)) {
    return true;
  }
  if (isa<ConstantInt>(value) || isa<ConstantFP>(value)) {
    const APInt bits = isa<ConstantInt>(value)
                           ? cast<ConstantInt>(value).getValue()
                           : cast<ConstantFP>(value).getValueAPF().bitcastToAPInt();
    for (unsigned i = 0; i * 8 < bits.getBitWidth(); ++i) {
      bytes[i] = bits.extractBitsAsZExtValue(std::min(8U, bits.getBitWidth() - i * 8), i * 8);
    }
    return true;
  }
  if (const auto *data = dyn_cast<ConstantDataSequential>(&value)) {
    const uint64_t size = data->getElementByteSize();
    for (unsigned i = 0; i < data->getNumElements(); ++i) {
      if (!bytesOf(*data->getElementAsConstant(i), layout, bytes.drop_front(i * size))) {
        return false;
      }
    }
    return true;
  }
  if (const auto *aggregate = dyn_cast<ConstantAggregate>(&value)) {
    const auto *structure = dyn_cast<StructType>(value.getType());
    for (unsigned i = 0; i < aggregate->getNumOperands(); ++i) {
      const Constant &element = *aggregate->getOperand(i);
      const uint64_t offset =
          structure
              ? layout.getStructLayout(const_cast<StructType *>(structure))->getElementOffset(i)
              : i * layout.getTypeAllocSize(element.getType());
      if (!bytesOf(element, layout, bytes.drop_front(offset))) {
        return false;
      }
    }
    return true;
  }
  return false;
}

} // namespace tutti::compiler::target::opencl
