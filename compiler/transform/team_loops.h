// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Makes a loop over the numbers of teams of what the teams of a league do by their numbers
/// (docs/adr/0041-team-numbers.md).
///
///   #pragma omp teams num_teams(b)            #pragma omp parallel for
///   {                                         for (int team = 0; team < b; ++team) {
///     double sums[64];                          double sums[64];
///   #pragma omp parallel num_threads(64)        for (int id = 0; id < 64; ++id)
///     {                                           sums[id] = f(team, id);
///       int id = omp_get_thread_num();          for (int id = 0; id < 64; ++id)
///       sums[id] = f(omp_get_team_num(), id);     g(sums, team, id);
///   #pragma omp barrier                       }
///       g(sums, omp_get_team_num(), id);
///     }
///   }
///
/// What the parallel constructs of a team do, the thread that stands for the team does in the turns
/// of its threads (transform/thread_loops). Everything behind then sees a parallel loop.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

/// Order: after teams have been merged: what is left asks for numbers, or has no loop for teams.
class TeamLoopsPass : public llvm::PassInfoMixin<TeamLoopsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

} // namespace tutti::compiler
