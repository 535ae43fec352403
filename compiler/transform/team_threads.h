// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the parallel constructs of a team do, done by the thread that stands for the team: where
/// they ask for the numbers of their threads, in the turns of these.
#pragma once

#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

#include <string>

namespace tutti::compiler {

/// Placeholders for the number of a team, and for how many there are, until those are values: their
/// answers never change.
inline constexpr const char *kTeamNumber = "tutti.team.number";
inline constexpr const char *kTeamCount = "tutti.team.count";

/// Whether `call` is one of a function of that name that has no body here.
bool isCallOf(const llvm::CallInst &call, llvm::StringRef name);

/// Lets what `function` asks of teams be asked of the placeholders.
void nameTeams(llvm::Function &function);

/// The most threads in each team of those that `request` asks for, an i32; null if that is left
/// open. Nothing may be asked for.
llvm::Value *threadLimitOf(llvm::CallInst *request);

/// Puts what is forked inside of `team`, a function of teams, in the place of its forks, executed
/// by the calling thread. `limit` is the most threads that a team may have, an i32 that `team`
/// knows; null if that is left open. Questions for teams are asked of placeholders then. Returns an
/// empty string, or why that cannot be done; then `team` is of no use any more.
std::string executeTeamForks(llvm::Function &team, llvm::Value *limit,
                             llvm::FunctionAnalysisManager &functions);

} // namespace tutti::compiler
