// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Writes around what the backend and the assembler behind it get wrong, as seen on GPUs by
/// running the cases of compiler/target/conformance.
///
/// sitofp i1      LLVM 19 gives 1.0 for true, not -1.0.
/// sub i16 0, x   ptxas 13.0 gives 32768 for the lowest number where the result is sign-extended;
///                so does abs.
#pragma once

#include "llvm/IR/Module.h"

namespace tutti::compiler::target {

/// Order: last before the backend; other passes would undo it.
void workAround(llvm::Module &kernels);

} // namespace tutti::compiler::target
