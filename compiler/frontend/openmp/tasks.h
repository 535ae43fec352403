// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tasks as clang lowers them, calls of libomp, become calls of Tutti's entry points (abi/tasks.h).
///
/// Which tasks these are, `tutti_task_described` says: a call that the front end puts after those
/// that describe a task, before the task is handed to libomp.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tutti::compiler::openmp {

/// Order: first of all passes, also without optimisation: a program with tasks is wrong without it.
class LowerTasksPass : public llvm::PassInfoMixin<LowerTasksPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

  static bool isRequired() { return true; }
};

} // namespace tutti::compiler::openmp
