// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Calls that give a thread of a parallel construct memory of its own (abi/abi.h).
#pragma once

#include "llvm/IR/Value.h"

namespace tutti::compiler {

/// Common to the names of all of them.
constexpr llvm::StringLiteral kPrivateMemory = "tutti_private_";

/// Whether `value` is a call that allocates or frees such memory.
bool isPrivateMemoryCall(const llvm::Value &value);

} // namespace tutti::compiler
