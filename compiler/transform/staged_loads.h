// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Stages in local memory what the work-items of a group all load in an innermost loop: elements
/// that only the loop's counter and values of the whole group choose.
///
///   for (k = first; k < trip; k += step) {
///     before(k);  for (j = 0; j < n; ++j) f(k, q[j]);  after(k);
///   }
/// becomes
///   for (base = first - local.id; base < trip; base += step) {
///     k = min(base + local.id, trip - 1);
///     before(k);
///     for (j = 0; j < n - n % kBlock; j += kBlock) {
///       barrier;  items together: block = q[j ... j + kBlock);  barrier;
///       for (c = 0; c < kBlock; ++c) f(k, block[c]);
///     }
///     for (; j < n; ++j) f(k, q[j]);
///     if (base + local.id < trip) after(k);
///   }
///
/// so that all items of a group reach the barriers equally often. Those beyond the last iteration
/// do what that one does, and have no effect. Each item computes the same as before, in the same
/// order.
#pragma once

#include "compiler/analysis/shared_loads.h"

namespace tutti::compiler {

/// Shape: `shared` is what was found in `kernel` as it is. Analyses are out of date behind it.
void stageLoads(llvm::Function &kernel, llvm::FunctionAnalysisManager &analyses,
                const SharedLoads &shared);

/// For tests: stages in every kernel of a module, and remarks what it did or why not.
class StageLoadsPass : public llvm::PassInfoMixin<StageLoadsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &kernel, llvm::FunctionAnalysisManager &analyses);
};

} // namespace tutti::compiler
