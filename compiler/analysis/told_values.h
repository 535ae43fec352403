// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Where threads tell others, one after the other, what their loops have left in private variables:
/// in critical sections and atomically, beside the loops.
///
///   #pragma omp critical
///   if (mine > most) { most = mine; }    // of what a loop has left
///   #pragma omp atomic
///   threads += 1;                        // of nothing: it counts threads
#pragma once

#include "compiler/analysis/conducted_code.h"

#include "llvm/ADT/SmallPtrSet.h"

#include <string>
#include <vector>

namespace tutti::compiler {

struct ToldValues {
  /// Calls that begin and end sections, and atomic updates, of left values alone.
  llvm::SmallPtrSet<const llvm::Instruction *, 8> turns;
  /// Why something else is done with left values, or an empty string.
  std::string reason;
};

/// What is done with the variables that `loops` of `function` combine into.
ToldValues findToldValues(llvm::Function &function, const std::vector<ConductedLoop> &loops,
                          const llvm::DominatorTree &dominators);

} // namespace tutti::compiler
