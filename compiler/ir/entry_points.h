// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The C layouts and entry points of abi/abi.h as LLVM types and declarations.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace tutti::compiler {

/// Types and functions of abi/abi.h in one module. Cheap to make; holds no state of its own.
class EntryPoints {
public:
  explicit EntryPoints(llvm::Module &module) : module_(module) {}

  /// `tutti_region`; field order as in abi/abi.h.
  llvm::StructType *regionType() const;

  /// `tutti_dim`.
  llvm::StructType *dimType() const;

  /// `tutti_reach`: one variable for all regions of the module.
  llvm::GlobalVariable *reach() const;

  llvm::FunctionCallee launch() const;
  llvm::FunctionCallee block() const;
  llvm::FunctionCallee cacheBlock() const;
  llvm::FunctionCallee access() const;
  llvm::FunctionCallee follow() const;
  llvm::FunctionCallee touched() const;
  llvm::FunctionCallee written() const;
  llvm::FunctionCallee reduce() const;
  llvm::FunctionCallee output() const;
  llvm::FunctionCallee outputObject() const;
  llvm::FunctionCallee exit() const;

  /// Whether `inst` calls `tutti_exit`.
  static bool isExit(const llvm::Instruction &inst);

  /// The loop hook that stands for what `call` calls: the same type behind a chunk pointer.
  /// Shape: `call` is an init or a next (compiler/ir/construct_calls.h).
  llvm::FunctionCallee loopHook(const llvm::CallInst &call) const;

private:
  llvm::FunctionCallee report(llvm::StringRef name) const;

  llvm::Module &module_;
};

} // namespace tutti::compiler
