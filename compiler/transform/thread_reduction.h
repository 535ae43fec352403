// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reductions of constructs whose threads become iterations: a thread that executes several of them
/// adds up what they have found before it combines that with what others have.
///
///   double own = 0;                      double all = 0;
///   own += ...;                          for (id...) { double own = 0; own += ...; all += own; }
///   reduce(own);                         reduce(all);
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

#include <string>

namespace tutti::compiler {

/// A variable in which a thread adds up what its iterations have found.
struct Accumulator {
  llvm::AllocaInst *variable;
  llvm::StoreInst *begin; ///< Gives it, in the entry, what changes nothing.
};

/// Lets `reduce`, a call, combine accumulators in place of the private copies. Returns why that
/// cannot be done, and changes nothing then; or an empty string.
std::string accumulate(llvm::CallInst &reduce, llvm::SmallVectorImpl<Accumulator> &accumulators);

} // namespace tutti::compiler
