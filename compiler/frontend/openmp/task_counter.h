// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How the function of a task counts the iterations of its loop.
#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/Type.h"

namespace tutti::compiler::openmp {

/// How the function of a task's iterations counts them.
struct Counter {
  llvm::Type *type = nullptr;
  bool isSigned = true;
};

/// clang compares a task's counter in 64 bits without a sign. Makes of that the comparisons of a
/// worksharing loop over this counter. Its type is null if they have another form.
Counter narrowComparisons(llvm::Function &body);

} // namespace tutti::compiler::openmp
