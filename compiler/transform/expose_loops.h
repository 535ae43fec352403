// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Undoes in a kernel what hides that its loops are parallel: optimisations for one thread, each of
/// which saves less than a thread per iteration gains. For analysis/parallel_loops.
///
///   %x = phi [ %first, ... ], [ %next, ... ]      ; %next = load of a[k + 1] in iteration k
/// becomes
///   %x = load of a[k]                             ; if nothing in the loop writes to it
///
///   sext (add nsw %i, 1)  ->  add nsw (sext %i), 1
///
/// Of phis that always have the same value, one remains. Preserves the CFG.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

class ExposeLoopsPass : public llvm::PassInfoMixin<ExposeLoopsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace tutti::compiler
