// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Keeps the backend from preparing for iterations that work-items hardly ever do.
///
/// Work-items step through the iterations by the size of the grid, most often once. Strength
/// reduction would compute the start and the step of every address in front of that loop.
///
///   %next = add i64 %i, %step
/// becomes
///   %sum = add i64 %i, %step
///   %next = call i64 asm "", "=l,0"(i64 %sum)
///
/// Not where an iteration holds a loop: there the preparation pays (on an H100, a stencil gains 7 %
/// from this, and a matrix product would lose 40 %).
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Module.h"

namespace tutti::compiler::target {

/// Whether `loop` goes over the work-item's own iterations.
bool isGridLoop(const llvm::Loop &loop);

/// Order: after all that gains from knowing the loops, before the backend.
void hideGridSteps(llvm::Module &kernels);

} // namespace tutti::compiler::target
