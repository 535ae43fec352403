// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What outlined functions compute from captures, computed before their fork; and the request for
/// teams that comes before it.
#pragma once

#include "llvm/IR/Instructions.h"

namespace tutti::compiler {

/// The request for teams that belongs to `fork`, or null.
llvm::CallInst *requestFor(llvm::CallInst &fork);

/// Computes before `fork` what its function computes as `value`, or returns null.
llvm::Value *computeBefore(llvm::CallInst &fork, llvm::Value *value);

} // namespace tutti::compiler
