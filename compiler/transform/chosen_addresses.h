// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Takes accesses apart whose address is one of several that have to be told apart: some lead to
/// private and some to shared memory, or one is that of a variable, whose value the region may get
/// before it runs.
///
///   %from = select i1 %better, ptr %private, ptr %shared
///   %x = load double, ptr %from
///
/// becomes a branch with a load on either side, so that each address is of one kind, and nothing is
/// accessed but what the program accesses. In C++ `a ? x : y` is an object, not a value, and of
/// values that come from memory the optimiser makes the same: it chooses where to read.
///
/// Where nothing has to be told apart one access at a chosen address is better than several.
#pragma once

#include "llvm/IR/Function.h"

namespace tutti::compiler {

/// Treats loads, stores and memory intrinsics whose address is a `select` or a phi, or computed
/// from one. What comes round a loop is no choice. Returns whether anything has changed.
bool separateChosenAddresses(llvm::Function &function);

} // namespace tutti::compiler
