// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Marks where a kernel begins to touch memory (`TUTTI_KERNEL_BEGIN` in abi/abi.h).
///
/// What leads to memory goes through the mark, so that no access comes before it, whatever is known
/// of the memory:
///
///   %low.1 = call i64 asm sideeffect "// tutti: begin", "=l,0"(i64 %low)
#pragma once

#include "llvm/IR/Module.h"

namespace tutti::compiler::target {

/// Order: after all passes that could gain from knowing the parameters, before the backend.
void markBegins(llvm::Module &kernels);

} // namespace tutti::compiler::target
