// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The steps of a module's conducted constructs, each once. A function with worksharing loops that
/// constructs call is inlined into each of them, and may be called by others as it is:
///
///   void half(double *u) {        // void half(double *u) {
///   #pragma omp for               //   construct.step0(thread, thread, u);
///     for (...) u[i] *= 0.5;      //   barrier
///   }                             // }
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

#include <utility>

namespace tutti::compiler {

class KnownSteps {
public:
  /// Puts one that is known in the place of `step`, of a construct that asks for no threads, if it
  /// does the same and is of the same loop of the program.
  void add(llvm::Function &step, const llvm::DebugLoc &place);

  /// Calls known steps in the place of the loops of `function`, which each thread of a team may
  /// call, if there is one for each: they need not be compiled twice.
  void callFrom(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  using Known = std::pair<llvm::Function *, llvm::DebugLoc>;

  llvm::Function *findFor(llvm::Function &step, const llvm::DebugLoc &place) const;
  bool replaceAll(llvm::Function &copy, llvm::FunctionAnalysisManager &analyses);

  llvm::SmallVector<Known, 16> known_;
};

} // namespace tutti::compiler
