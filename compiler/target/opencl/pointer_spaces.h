// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Finds where each pointer of a kernel leads to, by the object that it is computed from.
#pragma once

#include "compiler/target/opencl/values.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"

namespace tutti::compiler::target::opencl {

class PointerSpaces {
public:
  explicit PointerSpaces(const llvm::Function &kernel);

  /// Of a pointer.
  Space of(const llvm::Value &pointer) const;

  /// Why OpenCL C cannot say where all pointers lead to, or empty; completes "it ...".
  const std::string &reason() const { return reason_; }

private:
  Space root(const llvm::Value &pointer) const;
  void merge(const llvm::Instruction &pointer, Space space);
  void check(const llvm::Instruction &inst);

  llvm::DenseMap<const llvm::Value *, Space> spaces_;
  std::string reason_;
  bool changed_ = false;
};

} // namespace tutti::compiler::target::opencl
