// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Takes reads through a pointer that may lead to private or to shared memory apart.
///
/// In C++ `a ? x : y` is an object, not a value: a combiner that keeps the better of two structures
/// copies from one of two addresses.
///
///   %from = select i1 %better, ptr %private, ptr %shared
///   call void @llvm.memcpy(ptr %shared, ptr %from, i64 16)
///
/// becomes a branch with a copy on either side, so that each has one kind of address.
#pragma once

#include "llvm/IR/Function.h"

namespace tutti::compiler {

enum class ChosenReads {
  Private, ///< Where one address is known to be that of a private variable.
  All,     ///< In a combiner, which knows nothing of its arguments.
};

/// Treats loads and copies whose source alone is chosen, by `select` or where paths meet, or is at
/// a constant distance from what is chosen: a structure that is copied member by member.
void separateChosenReads(llvm::Function &function, ChosenReads which);

} // namespace tutti::compiler
