// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loads and stores of kernels in OpenCL C.
///
/// Types that may alias all others stand for memory: kernel IR moves bytes as any type that fits.
#include "compiler/target/opencl/expressions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tutti::compiler::target::opencl {

namespace {

/// A part of a value in memory that may be accessed at once.
struct Piece {
  uint64_t offset;
  unsigned bytes;
};

/// Shape: one piece if the value is aligned and has a type of its own.
SmallVector<Piece> piecesOf(uint64_t bytes, Align alignment) {
  SmallVector<Piece> pieces;
  for (uint64_t offset = 0; offset < bytes;) {
    const uint64_t aligned = commonAlignment(alignment, offset).value();
    const auto piece = std::min<uint64_t>({8, aligned, bit_floor(bytes - offset)});
    pieces.push_back({offset, static_cast<unsigned>(piece)});
    offset += piece;
  }
  return pieces;
}

/// The type that memory holds a value as: any_double, any_uint.
std::string memoryType(const Type &type) {
  return "any_" + (type.isIntegerTy(1) ? "uchar" : type.isPointerTy() ? "ulong" : typeName(type));
}

std::string behind(const std::string &pointer, uint64_t offset) {
  return offset == 0 ? pointer : "(" + pointer + " + " + utostr(offset) + ")";
}

} // namespace

std::string Expressions::access(Space space, const std::string &type, const std::string &pointer,
                                bool isVolatile) {
  return (Twine("*(") + (isVolatile ? "volatile " : "") + keyword(space) + " " + type + " *)" +
          pointer)
      .str();
}

std::string Expressions::load(const LoadInst &inst) {
  const Value &pointer = *inst.getPointerOperand();
  const Space where = space(pointer);
  const Type &type = *inst.getType();
  const std::string name = typeOf(inst);
  if (!reason_.empty()) {
    return "0";
  }
  const auto pieces =
      piecesOf(layout_.getTypeStoreSize(inst.getType()).getFixedValue(), inst.getAlign());
  if (pieces.size() == 1) {
    const std::string text = access(where, memoryType(type), operand(pointer), inst.isVolatile());
    return type.isPointerTy()   ? "(" + name + ")" + text
           : type.isIntegerTy() ? wrap(text, type)
                                : text;
  }
  std::string bits;
  for (const Piece &piece : pieces) {
    bits += (bits.empty() ? "(ulong)" : " | (ulong)") +
            access(where, "any_" + unsignedType(piece.bytes * 8),
                   behind(operand(pointer), piece.offset), inst.isVolatile()) +
            (piece.offset == 0 ? "" : " << " + utostr(piece.offset * 8));
  }
  return type.isPointerTy()  ? "(" + name + ")(" + bits + ")"
         : type.isDoubleTy() ? "as_double(" + bits + ")"
         : type.isFloatTy()  ? "as_float((uint)(" + bits + "))"
                             : wrap(bits, type);
}

std::string Expressions::store(const StoreInst &inst) {
  const Value &pointer = *inst.getPointerOperand();
  const Space where = space(pointer);
  const Value &value = *inst.getValueOperand();
  const Type &type = *value.getType();
  typeOf(value);
  if (!reason_.empty()) {
    return "";
  }
  const auto pieces =
      piecesOf(layout_.getTypeStoreSize(value.getType()).getFixedValue(), inst.getAlign());
  if (pieces.size() == 1) {
    return access(where, memoryType(type), operand(pointer), inst.isVolatile()) + " = " +
           (type.isPointerTy() ? "(ulong)" : "") + operand(value) + ";";
  }
  const std::string bits = type.isDoubleTy()  ? "as_ulong(" + operand(value) + ")"
                           : type.isFloatTy() ? "as_uint(" + operand(value) + ")"
                                              : "(ulong)" + operand(value);
  std::string text;
  for (const Piece &piece : pieces) {
    const std::string pieceType = unsignedType(piece.bytes * 8);
    text += (text.empty() ? "" : " ") +
            access(where, "any_" + pieceType, behind(operand(pointer), piece.offset),
                   inst.isVolatile()) +
            " = (" + pieceType + ")(" + bits +
            (piece.offset == 0 ? "" : " >> " + utostr(piece.offset * 8)) + ");";
  }
  return text;
}

} // namespace tutti::compiler::target::opencl
