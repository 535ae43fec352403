// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Makes two constructs of one that chooses between two versions of its loop by what is known
/// before its fork (see analysis/uniform_branches.h), and forks the one that is meant.
///
/// clang writes the loop of a combined construct with `simd` and `if` twice, with and without what
/// `simd` promises. Other passes look for constructs with one loop.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

/// Order: before teams are merged.
class VersionConstructsPass : public llvm::PassInfoMixin<VersionConstructsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

} // namespace tutti::compiler
