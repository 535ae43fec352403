// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Makes a work-group execute an iteration of the chunk's loop at a time, and its work-items share
/// the loops inside:
///
///   for i: { x = a[i][k];  for j: a[i][j] += x * b[j];  a[i][k] = x; }
/// becomes
///   for (i = group.id; i < trip; i += groups) {
///     x = a[i][k];  barrier;
///     for (j = local.id; j < n; j += local.count) a[i][j] += x * b[j];
///     barrier;  if (local.id == 0) a[i][k] = x;
///   }
#pragma once

#include "compiler/analysis/dealt_loops.h"

namespace tutti::compiler {

/// Shape: `dealt` is what was found in `kernel` as it is, below `chunkLoop`.
/// Returns whether it was possible; the kernel is of no use if it was not.
bool dealLoops(llvm::Function &kernel, llvm::BasicBlock &chunkHeader, const DealtLoops &dealt,
               llvm::FunctionAnalysisManager &analyses);

} // namespace tutti::compiler
