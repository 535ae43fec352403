// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Variables in which many iterations store one constant: flags that say that something was found
/// or has changed. Whoever comes last, they hold the same.
#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace tutti::compiler {

/// Keeps in `touch`, the marker of `store`, what it stores, if that is a constant of a scalar type.
void noteStored(llvm::CallInst &touch, const llvm::StoreInst &store);

/// The constant that the store of `touch` stores, or null.
const llvm::Metadata *storedConstant(const llvm::CallInst &touch);

/// Makes plain stores of relaxed atomic ones to objects in which `function` stores one constant
/// alone: in whatever pieces they are written, the same bytes are there in the end.
void relaxFlags(llvm::Function &function);

} // namespace tutti::compiler
