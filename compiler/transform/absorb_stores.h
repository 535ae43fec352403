// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Lets the iteration of a procedure's loop that computes an element store it where code behind the
/// loop would store it again, so that this needs no launch of its own:
///
///   for (i) v[i] = ...;            for (i) { v[i] = ...; if (i == 0) *first = v[i]; }
///   *first = v[0];           -->   if (there was no such iteration) *first = v[0];
///
/// Which iteration that is, and whether there is one, is decided with numbers when the version is
/// called.
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"

namespace tutti::compiler {

/// Does that to `loop`, an outermost one in simplified form. Whether anything has changed: then
/// analyses of the function are to be made again. It finds nothing more to do the next time.
bool absorbStores(llvm::Loop &loop, llvm::LoopInfo &loops, llvm::ScalarEvolution &scev,
                  llvm::DominatorTree &dominators, const llvm::PostDominatorTree &postDominators);

} // namespace tutti::compiler
