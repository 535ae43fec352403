// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What threads of a construct compute differently because they ask for their numbers: values,
/// private variables and the ways that they take. Judges nothing.
///
///   const int id = omp_get_thread_num();   // depends
///   const int first = id * n / threads;    // depends
///   const int step = n / threads;          // the same for all
///   if (id > 0) { ... }                    // what is inside depends
#pragma once

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace tutti::compiler {

/// The private variable that `pointer` leads into, or null.
llvm::AllocaInst *variableOf(const llvm::Value *pointer);

/// Threading: confined to one thread. Becomes invalid when the function changes.
class ThreadDependence {
public:
  explicit ThreadDependence(llvm::Function &function) : after_(function) {}

  /// Says that `value` differs from thread to thread; what follows from it is found at once.
  void add(const llvm::Value &value);

  /// The same of what `variable` holds.
  void addContents(const llvm::AllocaInst &variable);

  /// Whether `value` may differ. Addresses of private variables do not.
  bool depends(const llvm::Value &value) const { return values_.contains(&value); }

  /// Whether what `variable` holds may differ.
  bool holdsDependent(const llvm::AllocaInst &variable) const {
    return contents_.contains(&variable);
  }

  /// Whether only some threads may come to `block`, or some of them more often.
  bool isDivergent(const llvm::BasicBlock &block) const { return divergent_.contains(&block); }

private:
  void visit(const llvm::Instruction &user, const llvm::Value &used);
  void diverge(const llvm::BasicBlock &from);
  void mark(const llvm::Value &value);
  void spread();

  llvm::PostDominatorTree after_;
  llvm::DenseSet<const llvm::Value *> values_;
  llvm::SmallPtrSet<const llvm::AllocaInst *, 8> contents_;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> divergent_;
  llvm::SmallVector<const llvm::Value *, 32> work_;
};

} // namespace tutti::compiler
