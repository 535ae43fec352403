// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Keeps LLVM's simplification from giving parallel loops another form before Tutti has seen them:
/// from turning them into calls of memset and memcpy, and from making one loop for each outcome of
/// a condition. Kernels divide one loop per region, and no calls. Two forks on the sides of a
/// branch stay two, each with a function of its own.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

/// Marks the outlined functions of parallel constructs with what only they call, and their
/// worksharing loops.
/// Order: before simplification.
class KeepLoopsPass : public llvm::PassInfoMixin<KeepLoopsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

/// Takes the marks of loops away.
/// Order: before the loops are looked at.
class UnmarkLoopsPass : public llvm::PassInfoMixin<UnmarkLoopsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

/// Takes the marks of functions away, and does for the host's code what they have prevented.
class FormHostLoopsPass : public llvm::PassInfoMixin<FormHostLoopsPass> {
public:
  /// `aggressive`: as LLVM at -O3.
  explicit FormHostLoopsPass(bool aggressive) : aggressive_(aggressive) {}

  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

private:
  bool aggressive_;
};

} // namespace tutti::compiler
