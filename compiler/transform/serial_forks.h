// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Parallel constructs inside of others, executed by the thread that reaches them: a team of one,
/// which every implementation of OpenMP may form there.
#pragma once

#include "compiler/ir/construct_calls.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

/// Replaces `fork`, in an outlined function, by the body of `part`, which is no longer used, and
/// ceases to exist. It gets the captures, and `more` behind them. Returns false if that is not
/// possible.
bool inlineFork(llvm::CallInst &fork, llvm::Function &part,
                llvm::ArrayRef<llvm::Value *> more = {});

/// Removes a reduction of threads of which there is one: what it combines into is that thread's.
void answerOne(llvm::Function &function);

/// Removes all calls of `function` that are meant, of which nobody uses what they return.
void eraseCalls(llvm::Function &function, llvm::function_ref<bool(CallKind)> isMeant);

/// Puts what `fork` starts in its place, executed by the calling thread; what that forks, too.
/// Returns false, with nothing changed, if one thread cannot stand for the team.
bool serialiseFork(llvm::CallInst &fork, llvm::FunctionAnalysisManager &analyses);

/// The same for all forks of `outlined` with which that is possible. Returns whether there are any.
bool serialiseForks(llvm::Function &outlined, llvm::FunctionAnalysisManager &analyses);

} // namespace tutti::compiler
