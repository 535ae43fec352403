// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Divides loops where a condition of theirs ceases or begins to hold, as at the last cell of a
/// row:
///
///   for (i...)                                for (i... while i < end) f(i, a[i + 1]);
///     f(i, i < end ? a[i + 1] : last);   -->  for (; i...)             f(i, last);
///
/// A load that depends on a condition keeps a loop from being vectorised where the processor has no
/// loads with masks. LLVM takes iterations out of the beginning of a loop, not out of its end.
///
/// An outer loop of two iterations comes around the loop, in each of which the condition is a
/// constant; unswitching makes two inner loops of that. Each iteration computes what it did, in
/// order. Why not by passes of LLVM: ADR 80.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

/// Only loops that may become vectors: short ones with one exit and no loops in or around them,
/// without calls that touch memory.
/// Order: after code for devices has been taken; before vectorisation.
class LoopPhasesPass : public llvm::PassInfoMixin<LoopPhasesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace tutti::compiler
