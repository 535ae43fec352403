// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Makes a construct of its own of each worksharing loop of a parallel construct that executes
/// loops repeatedly, or that holds `single`, `master` and barriers: what is beside the loops is
/// executed by the thread that would have forked (see analysis/conducted_code.h).
///
///   fork(place, n, @outlined, captures...)   becomes   call @outlined.conducted(..., captures...)
///
/// in which each loop is a fork of `outlined.step<n>`. A construct that must stay whole says why in
/// the attribute kWholeConstruct.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

/// What a team of one does in the calls of `conductor` that are left, but for loops and reductions:
/// everything, at once. Other threads of the program may take turns with it.
void conductAlone(llvm::Function &conductor);

/// Order: after constructs have been split: what can be is left to that.
class ConductConstructsPass : public llvm::PassInfoMixin<ConductConstructsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

} // namespace tutti::compiler
