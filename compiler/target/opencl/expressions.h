// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What single instructions of a kernel compute, as OpenCL C expressions.
#pragma once

#include "compiler/target/opencl/pointer_spaces.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

namespace tutti::compiler::target::opencl {

/// Of the array that a call of `tutti.local.array` leads to.
std::string localArrayName(const llvm::CallBase &call);

/// Names of values of one kernel, and expressions over them.
///
/// Errors: what OpenCL C cannot say leaves a reason behind; the text is then of no use.
class Expressions {
public:
  Expressions(const llvm::Function &kernel, const llvm::DataLayout &layout);

  void name(const llvm::Value &value, std::string name) { names_[&value] = std::move(name); }

  Space space(const llvm::Value &pointer) const { return spaces_.of(pointer); }

  /// The type of the variable that holds `value`.
  std::string typeOf(const llvm::Value &value);

  /// A name or a literal.
  std::string operand(const llvm::Value &value);

  /// The same for a copy to `target`: a null pointer leads wherever `target` does.
  std::string operandFor(const llvm::Value &target, const llvm::Value &value);

  /// `value` as a signed number of its width.
  std::string asSigned(const llvm::Value &value);

  /// `text`, which may have more bits than `type`, as a value of `type`.
  static std::string wrap(const std::string &text, const llvm::Type &type);

  /// Any instruction without an effect except calls, phis and allocas.
  std::string compute(const llvm::Instruction &inst);

  /// Calls of math functions and of intrinsics without an effect.
  std::string computeCall(const llvm::CallBase &call);

  /// The pair that an intrinsic such as `llvm.umul.with.overflow` gives.
  std::pair<std::string, std::string> computeOverflow(const llvm::WithOverflowInst &inst);

  std::string load(const llvm::LoadInst &inst);

  /// The statements of a store.
  std::string store(const llvm::StoreInst &inst);

  /// `*(__global any_uint *)pointer`
  static std::string access(Space space, const std::string &type, const std::string &pointer,
                            bool isVolatile = false);

  void refuse(const llvm::Twine &reason);

  const std::string &reason() const { return reason_; }

  /// Functions of the preamble that the kernel uses.
  const llvm::StringSet<> &used() const { return used_; }

private:
  std::string binary(const llvm::BinaryOperator &inst);
  std::string conversion(const llvm::CastInst &inst);
  std::string compareIntegers(const llvm::ICmpInst &inst);
  std::string compareFloating(const llvm::FCmpInst &inst);
  std::string element(const llvm::GEPOperator &inst);
  std::string math(const llvm::CallBase &call);
  std::string fastMath(const llvm::CallBase &call);
  std::string integerIntrinsic(const llvm::IntrinsicInst &inst);
  std::string bitIntrinsic(const llvm::IntrinsicInst &inst);
  std::string floatingIntrinsic(const llvm::IntrinsicInst &inst);
  std::string classTest(const llvm::IntrinsicInst &inst);
  std::string refused(const llvm::Twine &reason);

  const llvm::DataLayout &layout_;
  PointerSpaces spaces_;
  llvm::DenseMap<const llvm::Value *, std::string> names_;
  llvm::StringSet<> used_;
  std::string reason_;
};

} // namespace tutti::compiler::target::opencl
