// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Lets a kernel reach shared memory on the device. Pointers keep their meaning (comparisons,
/// stores of pointers); only dereferences move.
///
///   %x = load double, ptr %address
/// becomes
///   %a = ptrtoint ptr %address to i64
///   %d = select i1 (%a < 4 GiB), i64 (%low + %arena), i64 (%high + %arena)
///   %there = inttoptr i64 (%a + %d) to ptr
///   %x = load double, ptr %there
///
/// at the root of an address computation, so that one translation serves a whole array.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"

namespace tutti::compiler {

/// Which memory `pointer` leads to in the body of a kernel, before pointers are translated; as
/// `memoryKind`, but Device for what needs no translation although it is no private memory.
enum class KernelMemory { Private, Constant, Shared, Device, Mixed };
KernelMemory kernelMemory(const llvm::Value *pointer, const llvm::Argument *partials);

class DevicePointers {
public:
  DevicePointers(llvm::Function &function, llvm::Argument *arena, llvm::Argument *low,
                 llvm::Argument *high, llvm::Argument *partials)
      : function_(function), arena_(arena), low_(low), high_(high), partials_(partials) {}

  /// Translates every dereference of shared memory. Globals are operands of instructions only.
  void translate();

private:
  llvm::Value *translated(llvm::Value *pointer);
  llvm::Value *atRoot(llvm::Value *root);

  llvm::Function &function_;
  llvm::Argument *arena_;
  llvm::Argument *low_;
  llvm::Argument *high_;
  llvm::Argument *partials_;
  llvm::Instruction *entry_ = nullptr; ///< Behind what all translations need.
  llvm::Value *lowDistance_ = nullptr;
  llvm::Value *highDistance_ = nullptr;
  llvm::DenseMap<llvm::Value *, llvm::Value *> known_;
};

} // namespace tutti::compiler
