// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whose memory the pointers of a kernel (compiler/ir/kernel.h) lead to.
#pragma once

#include "llvm/IR/Argument.h"

namespace tutti::compiler {

/// Whether `pointer` leads to what no other group sees and nothing but the kernel changes: private
/// and local memory, constants, and the group's partial results.
bool isOwnMemory(const llvm::Value *pointer);

/// The parameter that the memory behind `pointer` belongs to; null if that is not one of them.
const llvm::Argument *parameterOf(const llvm::Value *pointer);

} // namespace tutti::compiler
