// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whether iterations of a loop may use what earlier ones have left in private variables:
///
///   #pragma omp parallel for firstprivate(next)
///   for (int i = 0; i < n; ++i) y[i] = next++;
///
/// OpenMP leaves open which iterations share a thread, but a program with one thread may count on
/// it, and what the loop touches in memory does not show it.
#pragma once

#include "compiler/analysis/chunk_model.h"

#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

/// Whether memory that others see, or the way that an iteration takes, may depend on such values.
/// Those that are only combined, as in a reduction, do not count.
bool carriesValues(ChunkModel &model, llvm::FunctionAnalysisManager &analyses);

} // namespace tutti::compiler
