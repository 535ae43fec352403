// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the iterations of a worksharing loop print: text for rank 0, which has the program's
/// streams. Output that is in the way of nothing else.
#pragma once

#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

/// What the iterations of a construct print.
struct Printing {
  bool isAny = false;
  bool followsLocale = false;
  bool usesObjects = false; ///< Of the C++ library's streams.
  llvm::DebugLoc first;
};

/// Takes the output of iterations out of `function`, a copy of an outlined function that nobody
/// runs. What it reads is still read there: calls of `strlen` stand for texts. Output beside the
/// loop stays, because each thread of each rank would print it, and what ends the program
/// (compiler/analysis/endings.h). Critical sections in which nothing is done but printing go, too:
/// texts of two ranks do not meet.
Printing dropOutput(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

/// Removes loads of `stdout` and `stderr` that nobody uses any more: no memory that ranks share.
void dropUnusedStreams(llvm::Function &function);

} // namespace tutti::compiler
