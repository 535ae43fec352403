// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Copies code between the program's module and a module of kernels.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace tutti::compiler {

/// Stands-ins for the program's globals in a module of kernels. Constants that hold plain data come
/// with their initialiser; everything else is a declaration.
class KernelModule {
public:
  explicit KernelModule(llvm::Module &kernels) : kernels_(kernels) {}

  llvm::Module &module() { return kernels_; }

  /// Copies the body of `source` into `copy`; `map` leads from arguments to arguments and gets the
  /// rest. Debug information and attributes of the function stay behind.
  void copyBody(llvm::Function &source, llvm::Function &copy, llvm::ValueToValueMapTy &map);

  /// Adds all that `source` refers to to `map`.
  void import(llvm::Function &source, llvm::ValueToValueMapTy &map);

  /// What a declaration stands for; null for what is no stand-in.
  llvm::GlobalValue *original(const llvm::GlobalVariable *standIn) const {
    return originals_.lookup(standIn);
  }

  /// What stands for a global of the program.
  llvm::GlobalValue *standIn(llvm::GlobalValue &global);

private:
  void import(llvm::Constant &constant, llvm::SmallPtrSetImpl<llvm::Constant *> &seen);

  llvm::Module &kernels_;
  llvm::DenseMap<llvm::GlobalValue *, llvm::GlobalValue *> standIns_;
  llvm::DenseMap<const llvm::GlobalVariable *, llvm::GlobalValue *> originals_;
};

/// Copies the computation of `value`, which touches no memory, in front of `before`.
/// Shape: `map` has an entry for every argument, global and load that `value` depends on.
llvm::Value *copyComputation(llvm::Value *value, llvm::ValueToValueMapTy &map,
                             llvm::Instruction *before);

} // namespace tutti::compiler
