// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Brings private variables of a function that is being rewritten into SSA form.
#pragma once

#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"

namespace tutti::compiler {

/// Splits the variables of `function` into values where that can be. Nothing stays known of the
/// function, which its callers go on to change without telling `analyses`.
void splitVariables(llvm::Function &function, llvm::FunctionAnalysisManager &analyses,
                    llvm::SROAOptions options);

} // namespace tutti::compiler
