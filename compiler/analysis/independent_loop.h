// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whether the iterations of a sequential loop over data fragments may run in any order, which
/// nobody has promised: what is not seen to be so is not.
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Dominators.h"

#include <string>

namespace tutti::compiler {

/// Why the iterations of `loop`, an outermost one, depend on each other as far as can be seen;
/// empty if they do not. They then touch nothing but fragments of parameters, different ones of
/// which do not overlap, and write each byte in one iteration at most, which no other one reads.
///
/// Sets `place` where the reason is one place.
std::string whyDependent(const llvm::Loop &loop, llvm::ScalarEvolution &scev,
                         const llvm::DominatorTree &dominators, llvm::DebugLoc &place);

} // namespace tutti::compiler
