// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The form of the small functions that a region brings for the runtime.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"

namespace tutti::compiler {

/// A function with an empty block `entry` for code that runs once per launch: it is taken as it was
/// written, without the optimiser, which would take longer for it than for the loop that it
/// describes.
llvm::Function *createLaunchFunction(llvm::Module &module, llvm::Type *result,
                                     llvm::ArrayRef<llvm::Type *> params, const llvm::Twine &name);

} // namespace tutti::compiler
