// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The variables of the program that the code of a task may use without having captured them: on
/// another rank they are to be as they are where the task was made.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace tutti::compiler::openmp {

/// Tells the runtime of the variables that are used by `entry`, by what it calls and by the tasks
/// that it makes, as far as this module has them, with a call at the place of `builder`. No call if
/// there are none. Source: `tutti_task_variables` of abi/tasks.h.
void describeVariables(llvm::Module &module, llvm::IRBuilder<> &builder, llvm::Function &entry);

} // namespace tutti::compiler::openmp
