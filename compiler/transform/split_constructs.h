// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Makes a construct of its own of each worksharing loop of a parallel construct that holds several
/// (see analysis/loop_sequence.h).
///
/// Each gets a copy of the outlined function without the others, or in which their share of
/// iterations is empty, and a fork; the forks follow each other. Nothing is then left to wait for
/// between the loops, so `nowait` says no more than it did. A construct that must stay whole says
/// why in the attribute kWholeConstruct.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

/// Order: before anything else has changed what clang emits, but for teams, which become threads.
class SplitConstructsPass : public llvm::PassInfoMixin<SplitConstructsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

} // namespace tutti::compiler
