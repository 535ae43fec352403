// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Branches of outlined functions whose condition follows from captures alone. It is known before
/// the fork, and is the same for all threads. Reads functions in SSA form; changes nothing.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Argument.h"
#include "llvm/IR/Instructions.h"

namespace tutti::compiler {

/// Whether `value` is computed from captures of its outlined function without looking at memory.
bool isFromCaptures(const llvm::Value *value);

/// The branch of `outlined`, a function in SSA form, that chooses between two versions of one
/// loop: each side holds a worksharing loop or a fork, and nothing beside the sides does. Null if
/// there is none whose condition is known before the fork.
///
/// An `if` clause that holds for `simd`, too, is such a choice.
llvm::BranchInst *choiceOfVersions(llvm::Function &outlined);

/// Whether `outlined` has enough loops and forks for such a choice, in whatever form it is.
bool mayHaveVersions(const llvm::Function &outlined);

/// What captures of forked functions are in the function that forks.
class BoundCaptures {
public:
  /// Captures of `inner` are what `fork` passes.
  void bind(const llvm::CallInst &fork, const llvm::Function &inner);

  /// Whether both are the same operations on the same values.
  bool areSame(const llvm::Value *one, const llvm::Value *other, unsigned depth = 0) const;

private:
  const llvm::Value *source(const llvm::Value *value) const;

  llvm::DenseMap<const llvm::Argument *, const llvm::Value *> captures_;
};

} // namespace tutti::compiler
