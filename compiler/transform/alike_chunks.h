// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Brings chunk functions of loops that are written alike into one form, so that one of them can
/// stand for all (compiler/ir/equal_functions). What loops of one construct have of the others'
/// goes: captures that they do not use, and barriers that nothing lies in front of or behind.
#pragma once

#include "llvm/IR/Function.h"

#include <vector>

namespace tutti::compiler {

/// Drops barriers at the beginning and at the end of `chunk`, which is only executed as the whole
/// of a construct: its threads begin together, and their end is waited for.
void dropOuterBarriers(llvm::Function &chunk);

struct AlikeChunk {
  llvm::Function *function; ///< In the place of what was given, which is gone, or that itself.
  std::vector<unsigned> captures; ///< What it has of the captures: in the order of their uses.
};

/// Of `chunk`, which nobody uses yet (transform/chunk_function), without the captures that it does
/// not use.
AlikeChunk keepUsedCaptures(llvm::Function &chunk);

/// Takes the lines from what calls in `chunk` are told of their place. Order: after all reports.
void forgetLines(llvm::Function &chunk);

} // namespace tutti::compiler
