// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Takes from functions the scopes that only remarks needed.
///
/// tutticc has clang keep lines for Tutti's reports. Where no debugger asked for them, nobody reads
/// the scopes of functions any more once code is generated; but the backend would follow variables
/// through every function that has one. Instructions keep their lines, for errors and remarks.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

/// Order: last; no pass may inline any more.
class DropScopesPass : public llvm::PassInfoMixin<DropScopesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

} // namespace tutti::compiler
