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

namespace tutti::compiler::openmp {

/// Order: before passes that know forks; also without optimisation.
class TaskTeamsPass : public llvm::PassInfoMixin<TaskTeamsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

  static bool isRequired() { return true; }
};

} // namespace tutti::compiler::openmp
