// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Keeps what a program writes to `std::cout` and `std::cerr` in calls of the C++ library, which
/// `compiler/ir/output_calls.h` knows, in place of what these do inside of the stream.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

/// Marks the calls so that no pass puts the callee in their place.
///
/// Order: before anything is inlined.
class KeepInsertionsPass : public llvm::PassInfoMixin<KeepInsertionsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

} // namespace tutti::compiler
