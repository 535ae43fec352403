// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Writes what finds out, before a launch, which elements a chunk touches at addresses that have no
/// closed form (`tutti_region::inspect`):
///
///   y[row[i]] = value[k] * x[column[k]]
/// becomes
///   tutti_touched(sink, &value[k], 8)
///   tutti_touched(sink, &x[column[k]], 8)
///   tutti_written(sink, &y[row[i]], 8)
///
/// It is the loop without all that these addresses do not depend on. Only what it loads itself
/// decides what it reports, so that it need not run again while nobody writes there.
#pragma once

#include "compiler/analysis/accesses.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/IR/Function.h"

namespace tutti::compiler {

struct InspectorFunction {
  llvm::Function *function = nullptr;
  llvm::BitVector values; ///< Those of the region that it uses.
};

/// Emits that function into the model's module, and says in the flags of `accesses` which records
/// it is about and which reads it depends on. No function, and nothing is said, if nothing that is
/// touched of a whole object can be told apart like this. Nothing is told of scattered writes of a
/// loop that `carries` values from one iteration to the next (compiler/analysis/carried_values.h).
InspectorFunction emitInspector(ChunkModel &model, RegionAccesses &accesses, bool carries,
                                llvm::FunctionAnalysisManager &analyses, llvm::StringRef name);

} // namespace tutti::compiler
