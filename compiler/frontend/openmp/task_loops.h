// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loops that one thread of a team divides into tasks (`taskloop`), as worksharing loops.
///
///   #pragma omp parallel                 outlined:        outlined.loops:
///   #pragma omp single                     single           single
///   #pragma omp taskloop                     alloc            for static variables of the task
///   for (...) a[i] = ...;                    taskloop         dispatch init, next, ...
///
/// The order of tasks is open, so whoever may execute them as tasks may as well share them like
/// the iterations of `for`. But no team could execute the second form, as only one of its threads
/// comes to the loop. So it is a copy beside the function (kConductedForm), for a thread that
/// executes everything but the loops (transform/conduct_constructs). Nothing else is changed.
///
/// Loops that are one task (`if`, `grainsize`, `num_tasks`) keep their order: they are executed as
/// a whole where they stand.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tutti::compiler::openmp {

/// Whether `function`, or one of this module that it calls, divides a loop into tasks.
bool dividesLoops(const llvm::Function &function);

/// Order: before constructs are conducted, and before those with tasks are handed over
/// (frontend/openmp/task_teams.h).
class TaskLoopsPass : public llvm::PassInfoMixin<TaskLoopsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

} // namespace tutti::compiler::openmp
