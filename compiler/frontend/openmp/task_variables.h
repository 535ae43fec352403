// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The variables of the program that the code of a task may use without having captured them: on
/// another rank they are to be as they are where the task was made.
#pragma once

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <map>
#include <vector>

namespace tutti::compiler::openmp {

/// Those of one module. What functions use is looked up once.
class TaskVariables {
public:
  explicit TaskVariables(llvm::Module &module)
      : module_(module), library_(llvm::Triple(module.getTargetTriple())) {}

  /// Tells the runtime of the variables that are used by `entry`, by what it calls and by the tasks
  /// that it makes, as far as this module has them, and whether some of these are for devices, with
  /// a call at the place of `builder`. No call if there is nothing to tell. Source:
  /// `tutti_task_variables` of abi/tasks.h.
  void describe(llvm::IRBuilder<> &builder, llvm::Function &entry);

  /// Whether `entry` and all that it calls make no tasks and wait for none, as far as this module
  /// tells.
  bool makesNoTasks(llvm::Function &entry) { return !usedBy(entry).mayMakeTasks; }

private:
  /// By variable, whether it may be written.
  using Uses = llvm::MapVector<llvm::GlobalVariable *, bool>;

  struct Found {
    Uses variables;
    bool makesDeviceTasks = false;
    bool allocates = false;    ///< Or frees memory of the cluster.
    bool mayMakeTasks = false; ///< Or wait: it calls what is not known.
  };

  /// What one function names.
  struct Names : Found {
    llvm::SetVector<llvm::Function *> functions; ///< That are defined here.
  };

  const Names &namesOf(llvm::Function &function);
  Found usedBy(llvm::Function &entry);
  std::vector<llvm::Constant *> recordsOf(const Found &found);
  bool isKnown(const llvm::Function &function) const;
  void add(Names &names, llvm::Use &operand, llvm::Value *value) const;

  llvm::Module &module_;
  llvm::TargetLibraryInfoImpl library_;
  std::map<llvm::Function *, Names> names_;
};

} // namespace tutti::compiler::openmp
