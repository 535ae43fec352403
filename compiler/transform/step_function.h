// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Makes a function of one worksharing loop, its *step*: what threads do for the loop, with what
/// the function around it has computed as captures, as a construct's outlined function has them.
#pragma once

#include "compiler/analysis/conducted_code.h"
#include "compiler/ir/forks.h"

#include "llvm/ADT/Twine.h"
#include "llvm/IR/Function.h"

namespace tutti::compiler {

/// Of a conductor: a pointer to the number of threads that its construct asks for, if it asks.
constexpr unsigned kNumberArgument = 1;

/// Brings `function` into the form in which loops that are the same in several places look the
/// same.
void bringIntoOneForm(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

/// A copy of `function`, which a construct calls, with the arguments of an outlined one in front.
llvm::Function *withThreadArguments(llvm::Function &function);

/// Takes `loop` out of `conductor`, which forks in its place, and asks for `requests` before.
llvm::Function *forkStep(llvm::Function &conductor, const ConductedLoop &loop,
                         const llvm::Twine &name, const ThreadRequests &requests);

/// Takes `loop` out of `function`, which every thread of a team executes, and calls the step in its
/// place. The first arguments of `function` are kThreadArguments pointers that nothing uses.
llvm::Function *callStep(llvm::Function &function, const ConductedLoop &loop,
                         const llvm::Twine &name);

} // namespace tutti::compiler
