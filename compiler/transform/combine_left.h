// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Makes a reduction of what the threads of a loop leave in private variables
/// (analysis/left_values): each thread begins with what changes nothing, and the conductor's
/// variable gets what all have found.
#pragma once

#include "compiler/analysis/conducted_code.h"
#include "compiler/analysis/left_values.h"

namespace tutti::compiler {

/// Lets `loop` of `function`, which has no reduction, combine `values`, behind its last iteration.
void combineLeft(llvm::Function &function, ConductedLoop &loop, llvm::ArrayRef<LeftValue> values);

} // namespace tutti::compiler
