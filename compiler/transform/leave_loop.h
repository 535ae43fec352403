// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Leaving a worksharing loop before its iterations are done, because what they would do does not
/// count any more: one has met a stray pointer, or has called `exit`.
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

#include <string>

namespace tutti::compiler {

/// Whether libomp is asked for the next piece in `loop`.
bool asksForPieces(const llvm::Loop &loop);

/// The outermost loop around `block`, but for one that asks libomp for the next piece: it has to
/// ask until there is none. Null if there is no such loop.
const llvm::Loop *loopToLeave(const llvm::LoopInfo &loops, const llvm::BasicBlock &block);

/// Whether it does no harm if the phis of `exit` have some other value: it may be stored, but no
/// address depends on it, and no end of a loop.
bool isHarmless(const llvm::BasicBlock &exit, const llvm::LoopInfo &loops);

/// Lets what `leaving` does go on at `exit`. `leaving` has no terminator.
void leaveFor(llvm::BasicBlock &leaving, llvm::BasicBlock &exit);

/// Lets threads that have called `exit` in a part of the loop leave it: where the call's function,
/// tutti_exit, comes back, nothing has followed so far. Gives the reason if that is not possible.
///
/// Order: on a chunk function, when its calls have been replaced.
std::string leaveLoopsAtExits(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

} // namespace tutti::compiler
