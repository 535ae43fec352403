// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Memory that a thread of a parallel construct has for itself: calls that give it some
/// (abi/abi.h), calls that the program makes for some, and marks of what is known to be such
/// memory.
#pragma once

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Value.h"

namespace tutti::compiler {

/// Common to the names of all of them.
constexpr llvm::StringLiteral kPrivateMemory = "tutti_private_";

/// Whether `value` is a call that allocates or frees such memory.
bool isPrivateMemoryCall(const llvm::Value &value);

/// What follows kPrivateMemory in the name of what stands for `value`, a call of the C or C++
/// library that allocates; else empty.
llvm::StringRef privateStandIn(const llvm::Value &value);

/// Whether `call` frees what such calls have allocated.
bool freesMemory(const llvm::CallBase &call);

/// Marks `inst`: the pointer that it loads, or what can be reached from the arguments of the call,
/// is memory of the thread. Whoever changes an instruction so much that it drops metadata takes the
/// mark away, which keeps a loop home.
void markOwn(llvm::Instruction &inst);
bool isMarkedOwn(const llvm::Value &value);

} // namespace tutti::compiler
