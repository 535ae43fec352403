// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Takes parts of a procedure's version for devices out of it, each as an outlined function with
/// one worksharing loop: a sequential loop with its iterations, or a few loads and stores as one
/// iteration. What is left in their place is a fork, as of a construct of the program's.
///
/// What the parts need of values is passed to them if it is computed from numbers, and computed
/// again in them if it is read from data fragments, which are not where the host is.
#pragma once

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Function.h"

#include <string>

namespace tutti::compiler {

class ProcedurePieces {
public:
  explicit ProcedurePieces(llvm::Function &version);

  /// Takes `loop` out, an outermost one in simplified form whose iterations are independent. Why
  /// that is not possible, with nothing changed, or nothing.
  std::string takeLoop(llvm::Loop &loop, llvm::ScalarEvolution &scev);

  /// Takes out what is left of loads from fragments and stores to them.
  ///
  /// Order: no loops are left.
  std::string takeRest();

private:
  bool isOnDevice(const llvm::Value *value);
  std::string whyNotAgain(const llvm::Value *value);
  std::string takeGroup(llvm::ArrayRef<llvm::Instruction *> group);

  llvm::Function &version_;
  llvm::SmallPtrSet<const llvm::Argument *, 8> written_; ///< Fragments that are not only read.
  unsigned count_ = 0;
};

} // namespace tutti::compiler
