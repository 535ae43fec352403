// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Turns the two levels of `teams distribute` into the one of an ordinary parallel loop.
///
/// A fork of teams whose function distributes one loop becomes a fork of a function in which
/// threads stand for teams:
///   `distribute parallel for`            one worksharing loop over all iterations;
///   `distribute` [simd]                  the same, the teams' loop being the threads';
///   `distribute` around `parallel for`   the same, each thread executing the inner loops alone.
/// Everything behind then sees a parallel loop. What is not recognised stays as it is.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

/// Order: before anything else has changed what clang emits.
class MergeTeamsPass : public llvm::PassInfoMixin<MergeTeamsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

} // namespace tutti::compiler
