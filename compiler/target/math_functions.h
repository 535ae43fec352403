// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The C math library as kernels see it: which functions there are. What devices call them is up to
/// the targets.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Intrinsics.h"

#include <optional>

namespace tutti::compiler::target {

struct MathFunction {
  llvm::StringLiteral name;
  llvm::Intrinsic::ID intrinsic; ///< Or `not_intrinsic`.
  llvm::StringLiteral signature; ///< Result and arguments: d the floating type, i int, l long.
};

/// A call of a math function, by its C name or as an LLVM intrinsic.
struct MathCall {
  const MathFunction *function;
  llvm::Type *type; ///< float, double or, of intrinsics, a vector of them.

  bool isFloat() const { return type->getScalarType()->isFloatTy(); }
};

std::optional<MathCall> findMathCall(const llvm::CallBase &call);

} // namespace tutti::compiler::target
