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

struct CarriedValues {
  /// Memory that others see, or the way that an iteration takes, may depend on such values.
  bool areUsed = false;
  /// The same, or what is combined behind the loop depends on the order of its iterations: not of
  /// sums, products and extremes, but of a generator of random numbers, or of where an extreme is.
  bool areOrdered = false;
};

CarriedValues carriedValues(ChunkModel &model, llvm::FunctionAnalysisManager &analyses);

} // namespace tutti::compiler
