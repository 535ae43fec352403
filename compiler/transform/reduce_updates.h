// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Makes a reduction of what the threads of a parallel loop do to shared variables one after the
/// other (see analysis/shared_updates.h): each thread does it to copies of its own, and combines
/// them once, behind its loop.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

/// Attribute of an outlined function: of equal values the first one is chosen, with what belongs to
/// it. Which one that is depends on the order in which copies are combined.
inline constexpr llvm::StringLiteral kFirstWins = "tutti-first-wins";

/// Order: after teams have been merged; before constructs are split.
class ReduceUpdatesPass : public llvm::PassInfoMixin<ReduceUpdatesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

} // namespace tutti::compiler
