// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Numbers by which the copies of an access are known: what becomes of it in the chunk model tells
/// what kernels find in memory. Passes that join accesses drop them.
#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"

#include <optional>

namespace tutti::compiler {

/// Gives each load, store and memory intrinsic of `function` a number, which clones keep.
void numberAccesses(llvm::Function &function);

/// The number of `inst`, if it has one.
std::optional<unsigned> accessNumber(const llvm::Instruction &inst);

void copyAccessNumber(const llvm::Instruction &from, llvm::Instruction &to);

void dropAccessNumbers(llvm::Function &function);

} // namespace tutti::compiler
