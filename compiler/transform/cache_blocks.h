// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A second form of a chunk's loop, in blocks of the loop inside of it
/// (compiler/analysis/cache_nest.h):
///
///   if (iterations >= 4 && bytes >= 32 KiB && (size = tutti_cache_block(chunk, ...)) != 0)
///     for (done = 0; done < trip; done += size)
///       for (i...) for (j = done; j < min(done + size, trip); ++j) f(i, j);
///   else
///     for (i...) for (j...) f(i, j);
///
/// Loops beside that of j are executed if done == 0, or, behind it, if this is the last block.
///
/// The runtime knows the caches, and says how large blocks are. What it does not divide runs by the
/// code that was there before.
#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

/// Adds the second form where `function` has such a nest; its last argument is the chunk.
/// Order: before calls of the loop become Tutti's. Analyses are out of date behind it.
void addCacheBlocks(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

} // namespace tutti::compiler
