// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Finds the parallel regions in which one thread does everything, and makes tasks, and hands them
/// to `tutti_fork_tasks` (abi/openmp.h), so that the threads of the team run these tasks by Tutti's
/// graph.
///
///   #pragma omp parallel          call @__kmpc_fork_call(place, 1, @outlined, %r)
///   #pragma omp single       -->  store ptr %r, ptr %captures
///   r = fib(30);                  call @tutti_fork_tasks(place, @outlined.tasks, ptr %captures)
///
/// The calls inside that make tasks and wait for them stay libomp's: who executes them decides at
/// run time. A barrier beside such a `single` becomes `tutti_team_barrier`.
#pragma once

#include "llvm/IR/PassManager.h"

#include <cstdint>

namespace tutti::compiler::openmp {

/// Which regions.
enum class TaskTeams : std::uint8_t {
  All,
  WithoutLoops, ///< Those that divide loops into tasks are left to a later pass of All.
};

/// Order: before passes that know forks; also without optimisation. Of regions that divide loops
/// into tasks, after these have been tried as worksharing loops (frontend/openmp/task_loops.h).
class TaskTeamsPass : public llvm::PassInfoMixin<TaskTeamsPass> {
public:
  explicit TaskTeamsPass(TaskTeams which) : which_(which) {}

  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

  static bool isRequired() { return true; }

private:
  TaskTeams which_;
};

} // namespace tutti::compiler::openmp
