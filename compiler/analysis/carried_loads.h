// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Undoes what the optimiser does to loads of neighbouring elements, so that iterations depend on
/// nothing but their number.
///
///   x = a[0]; for (i = 0; i < n; ++i) { y = a[i + 1]; ... x ... y; x = y; }
/// becomes
///   for (i = 0; i < n; ++i) { x = a[i]; y = a[i + 1]; ... x ... y; }
#pragma once

#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

class ReloadCarriedPass : public llvm::PassInfoMixin<ReloadCarriedPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace tutti::compiler
