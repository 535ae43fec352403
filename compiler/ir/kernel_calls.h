// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The functions of kernel.h as declarations in a module of kernels.
#pragma once

#include "llvm/IR/Module.h"

namespace tutti::compiler {

/// Cheap to make; holds no state of its own.
class KernelCalls {
public:
  explicit KernelCalls(llvm::Module &module) : module_(module) {}

  llvm::FunctionCallee itemId() const;
  llvm::FunctionCallee itemCount() const;
  llvm::FunctionCallee localId() const;
  llvm::FunctionCallee localCount() const;
  llvm::FunctionCallee localExtent() const;
  llvm::FunctionCallee groupId() const;
  llvm::FunctionCallee localMemory() const;
  llvm::FunctionCallee localArray() const;
  llvm::FunctionCallee opaque() const;
  llvm::FunctionCallee barrier() const;
  llvm::FunctionCallee memoryBarrier() const;

private:
  llvm::FunctionCallee waiting(llvm::StringRef name) const;
  llvm::FunctionCallee pure(llvm::StringRef name, llvm::FunctionType *type) const;

  llvm::Module &module_;
};

} // namespace tutti::compiler
