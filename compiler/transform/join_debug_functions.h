// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Makes one function again of the two that clang makes of a construct for debuggers.
///
/// With -g what a construct becomes is called by a function that only changes types: libomp passes
/// all captures as 64 bits, and debuggers are to see variables as they are declared.
///
///   define internal void @f.omp_outlined(ptr %thread, ptr %bound, i64 %n) {
///     ...
///     %m = load i32, ptr %n.addr
///     call void @f.omp_outlined_debug__(ptr %thread, ptr %bound, i32 %m)
///     ret void
///   }
///
/// The passes that follow expect the loop in the first one, where it is without -g. There it goes,
/// along with what debuggers are told, and the second one is removed. What inlining would leave
/// (scopes of aliases, one function inside of another) is not in the code without -g.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

/// Order: before all passes that look for constructs.
class JoinDebugFunctionsPass : public llvm::PassInfoMixin<JoinDebugFunctionsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

} // namespace tutti::compiler
