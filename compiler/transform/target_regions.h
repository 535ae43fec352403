// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Constructs inside of OpenMP's `target` prefer GPUs, as if `#pragma tutti device(gpu)` stood
/// there.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

/// Gives the functions of target regions, and those that nothing else calls, the directive
/// device(gpu), unless a pragma has named another device.
///
/// Order: before inlining, while the functions still have their names.
class TargetRegionsPass : public llvm::PassInfoMixin<TargetRegionsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

} // namespace tutti::compiler
