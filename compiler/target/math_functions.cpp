// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/target/math_functions.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace tutti::compiler::target {

namespace {

constexpr MathFunction kFunctions[] = {
#define MATH(NAME, INTRINSIC, SIGNATURE) {NAME, Intrinsic::INTRINSIC, SIGNATURE},
#include "compiler/target/math_functions.def"
#undef MATH
};

struct Index {
  StringMap<const MathFunction *> byName;
  DenseMap<unsigned, const MathFunction *> byIntrinsic;

  Index() {
    for (const MathFunction &function : kFunctions) {
      byName[function.name] = &function;
      if (function.intrinsic != Intrinsic::not_intrinsic) {
        byIntrinsic[function.intrinsic] = &function;
      }
    }
  }
};

bool matches(char letter, Type *type, Type *floating) {
  switch (letter) {
  case 'd':
    return type == floating;
  case 'i':
    return type->isIntegerTy(32);
  case 'l':
    return type->isIntegerTy(64);
  }
  llvm_unreachable("letter of a signature");
}

/// The floating type of a call of `function`; null if the call does not have its signature.
Type *floatingType(const MathFunction &function, FunctionType *type) {
  if (type->isVarArg() || type->getNumParams() + 1 != function.signature.size()) {
    return nullptr;
  }
  Type *floating = function.signature[0] == 'd' ? type->getReturnType() : type->getParamType(0);
  const Type *scalar = floating->getScalarType();
  if (!(scalar->isFloatTy() || scalar->isDoubleTy()) ||
      !matches(function.signature[0], type->getReturnType(), floating)) {
    return nullptr;
  }
  for (unsigned i = 0; i < type->getNumParams(); ++i) {
    if (!matches(function.signature[i + 1], type->getParamType(i), floating)) {
      return nullptr;
    }
  }
  return floating;
}

} // namespace

std::optional<MathCall> findMathCall(const CallBase &call) {
  static const Index index;
  const Function *callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration()) {
    return std::nullopt;
  }
  if (callee->isIntrinsic()) {
    const MathFunction *function = index.byIntrinsic.lookup(callee->getIntrinsicID());
    Type *type = function ? floatingType(*function, callee->getFunctionType()) : nullptr;
    return type ? std::optional(MathCall{function, type}) : std::nullopt;
  }
  // A double function's name may end in f too: `erf`.
  const StringRef name = callee->getName();
  if (const MathFunction *function = index.byName.lookup(name)) {
    Type *type = floatingType(*function, callee->getFunctionType());
    return type && type->isDoubleTy() ? std::optional(MathCall{function, type}) : std::nullopt;
  }
  if (const MathFunction *function =
          name.ends_with("f") ? index.byName.lookup(name.drop_back()) : nullptr) {
    Type *type = floatingType(*function, callee->getFunctionType());
    return type && type->isFloatTy() ? std::optional(MathCall{function, type}) : std::nullopt;
  }
  return std::nullopt;
}

} // namespace tutti::compiler::target
