// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Brings the program's own memory into unified memory: allocation calls become those of the
/// runtime, and variables with static storage move to sections that the runtime maps. Calls that
/// ask OpenMP for numbers of threads become the runtime's, too: it wants to know the answers. Where
/// large arrays on the stack end, the runtime is told. Inline functions become hidden, so that
/// libraries do not allocate by the program's.
///
///   %p = call ptr @malloc(i64 %n)          ->  %p = call noalias ptr @tutti_malloc(i64 %n)
///   @table = global [9 x double] zeroinit   ->  @table = ..., in a section of ours
///   ret void                               ->  call void @tutti_leave(ptr %frame)  ret void
///
/// A module that defines such functions itself keeps them and its variables: see definesAllocation.
///
/// Runs last, so that no optimisation loses what it knows about malloc.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

class UnifyMemoryPass : public llvm::PassInfoMixin<UnifyMemoryPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

  /// Programs compiled without optimisation need it, too: their objects may meet optimised ones.
  static bool isRequired() { return true; }
};

} // namespace tutti::compiler
