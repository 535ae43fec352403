// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Finds out what the code of tasks touches, where that has a closed form, so that the runtime can
/// compare it with what the program names: such tasks may run on other ranks.
///
///   task = tutti_task_create(..., @entry)      stays as it is; for `entry` appears a descriptor
///                                              among the image's regions, whose access function
///                                              gets the address of the task's block
///
/// The code is looked at as the body of a parallel loop of one iteration. A remark says of each
/// construct whether its tasks may leave rank 0, or why not.
///
/// Changes no code.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

/// Order: after simplification, before launches are made of forks.
class DeriveTasksPass : public llvm::PassInfoMixin<DeriveTasksPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

} // namespace tutti::compiler
