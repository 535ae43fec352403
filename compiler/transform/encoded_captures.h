// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Forks pass pointers and integers of 64 bits.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace tutti::compiler {

inline llvm::Value *encodeCapture(llvm::IRBuilder<> &build, llvm::Value *value) {
  llvm::Type *type = value->getType();
  if (type->isPointerTy()) {
    return value;
  }
  if (type->isFloatingPointTy()) {
    value = build.CreateBitCast(value, build.getIntNTy(type->getPrimitiveSizeInBits()));
  }
  return build.CreateZExt(value, build.getInt64Ty());
}

inline llvm::Value *decodeCapture(llvm::IRBuilder<> &build, llvm::Value *value, llvm::Type *type) {
  if (type->isPointerTy()) {
    return value;
  }
  value = build.CreateTrunc(value, build.getIntNTy(type->getPrimitiveSizeInBits()));
  return type->isFloatingPointTy() ? build.CreateBitCast(value, type) : value;
}

} // namespace tutti::compiler
