// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Copies of functions of the same module. LLVM's give each copy a scope of its own, and with it
/// all of its places, which takes as long as the rest of the copy. Where lines are kept for reports
/// alone (transform/drop_scopes), these copies share the scopes and places of what they are made
/// of. The verifier of LLVM, which `opt` runs and a compilation does not, wants scopes of one
/// function each.
#pragma once

#include "llvm/ADT/Twine.h"
#include "llvm/IR/Function.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace tutti::compiler {

/// A copy as `llvm::CloneFunction` makes it, an internal function of that name.
llvm::Function *copyOf(llvm::Function &function, const llvm::Twine &name,
                       llvm::ValueToValueMapTy &map);

/// Gives `copy` the blocks of `function`, as `llvm::CloneFunctionInto` does for local changes;
/// `map` has what stands for each argument.
void copyInto(llvm::Function &copy, llvm::Function &function, llvm::ValueToValueMapTy &map);

} // namespace tutti::compiler
