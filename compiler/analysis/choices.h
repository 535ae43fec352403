// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What an address may be that is one of several: the optimiser makes `select` and phi of pointers
/// and indices where the program has conditional expressions.
///
///   %where = select i1 %first, i64 %left, i64 %i
///   %x = getelementptr double, ptr %b, i64 %where     ; %b + 8 * %left, or %b + 8 * %i
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"

namespace tutti::compiler {

/// One of the expressions, and when it is that one.
struct Choice {
  struct Condition {
    llvm::Value *condition;
    bool holds;
  };

  const llvm::SCEV *expression;
  llvm::SmallVector<Condition, 2> conditions;
  llvm::SmallVector<llvm::BasicBlock *, 1> through; ///< Blocks that an iteration has come through.
  bool isExact = true;                              ///< It is this one whenever all of that holds.
};

/// All that `expression` may be: itself alone if nothing in it is chosen, nothing if there are too
/// many. What comes round a loop is no choice, and neither is what `isKnown`.
llvm::SmallVector<Choice, 4> choicesOf(const llvm::SCEV *expression, const llvm::LoopInfo &loops,
                                       llvm::ScalarEvolution &scev,
                                       llvm::function_ref<bool(const llvm::SCEV *)> isKnown);

} // namespace tutti::compiler
