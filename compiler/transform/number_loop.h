// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Parts of loops that count threads or teams, where a program has asked for their numbers.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace tutti::compiler {

/// What a thread executes of a loop over numbers from 0; nothing if `last` is less than `first`.
struct NumberShare {
  llvm::Value *first; ///< i64
  llvm::Value *last;  ///< i64
  llvm::CallInst *init;
};

/// Asks for the share of the calling thread, `self`, of the numbers up to `final`, in a construct
/// that takes the place of the one which `fork` starts.
NumberShare shareNumbers(llvm::IRBuilder<> &build, const llvm::CallInst &fork, llvm::Value &self,
                         llvm::Value &final);

/// Ends such a loop.
void endNumbers(llvm::IRBuilder<> &build, const llvm::CallInst &fork, llvm::Value &self);

/// Moves the variables of fixed size in the entry of `function` to its begin. Returns the place
/// behind them.
llvm::BasicBlock::iterator gatherVariables(llvm::Function &function);

/// Makes calls of those invokes in `function`, a construct, whose exceptions would leave it: that
/// ends the program, caught for that or not.
void dropLandings(llvm::Function &function);

/// A copy of `outlined` with captures of `types` behind its own.
llvm::Function *withCaptures(llvm::Function &outlined, llvm::ArrayRef<llvm::Type *> types);

} // namespace tutti::compiler
