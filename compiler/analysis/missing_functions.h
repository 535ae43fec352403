// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Functions that a parallel construct calls and that its file does not define.
#pragma once

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

namespace tutti::compiler {

/// Functions with bodies that `root` reaches by direct calls, itself first.
llvm::SetVector<const llvm::Function *> calledFunctions(const llvm::Function &root);

/// The same, and what the constructs among them start.
llvm::SetVector<llvm::Function *> reachedFunctions(llvm::Function &root);

/// What the parallel constructs of `module` and its tasks of OmpSs-2 start: other ranks may run it.
///
/// Order: before tasks are lowered.
llvm::SetVector<llvm::Function *> startedFunctions(llvm::Module &module);

/// Functions without a body that `root` calls, also through others of its module, and that another
/// file of the program may define: none of OpenMP, of Tutti, or of the C and C++ libraries.
llvm::SetVector<llvm::Function *> missingFunctions(llvm::Function &root);

} // namespace tutti::compiler
