// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Says of a file that is compiled without optimisation that its parallel loops stay on rank 0.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

/// One remark for a file, at its first parallel construct. Changes nothing.
class UnoptimisedPass : public llvm::PassInfoMixin<UnoptimisedPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

  /// Also where nothing else is run that can be left out.
  static bool isRequired() { return true; }
};

} // namespace tutti::compiler
