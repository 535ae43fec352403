// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Takes reads through a pointer that is one of several apart.
///
/// Clang makes one read of `c ? a[i] : b[i]`. Either address has a closed form, and may be in
/// shared or in private memory; the one that is chosen has none.
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

/// Treats loads and copies whose source alone is chosen, by `select` or where paths meet, or is at
/// a constant distance from what is chosen: a structure that is copied member by member.
void separateChosenReads(llvm::Function &function);

} // namespace tutti::compiler
