// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Private variables that code fills before it looks at them: one by one, or in loops whose numbers
/// of iterations are known.
///
///   for (int m = 0; m < 5; ++m) flux[m] = ...;   // all of `double flux[5]`
///   a[i] = flux[0] + flux[4];
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace tutti::compiler {

/// Whether all that `accesses` read of `variable` has been stored by others of them on each way
/// there. An access that may be more than a read or a write counts as neither proof nor harmless.
bool isSetBeforeRead(const llvm::AllocaInst &variable, llvm::ArrayRef<llvm::Instruction *> accesses,
                     const llvm::DominatorTree &dominators, const llvm::LoopInfo &loops,
                     llvm::ScalarEvolution &scev);

} // namespace tutti::compiler
