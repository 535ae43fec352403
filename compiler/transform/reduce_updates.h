// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Makes a reduction of what the threads of a parallel loop do to shared variables one after the
/// other (see analysis/shared_updates.h): each thread does it to copies of its own, and combines
/// them once, behind its loop.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

/// Order: after teams have been merged; before constructs are split.
class ReduceUpdatesPass : public llvm::PassInfoMixin<ReduceUpdatesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

} // namespace tutti::compiler
