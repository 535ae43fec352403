// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Makes every OpenMP fork a launch of a region that the runtime may divide over ranks.
///
///   call void (ptr, i32, ptr, ...) @fork(ptr @loc, i32 2, ptr @outlined, ptr %a, i64 %n)
/// becomes
///   store ptr %a, ...; store i64 %n, ...                 ; the captures
///   call void @tutti_launch(ptr @outlined.tutti.region, ptr %captures)
///
/// The region's descriptor (abi/abi.h) holds the original construct, or, where the loop is
/// understood, its chunk function, which stands for it, and its access functions. Remarks say which
/// and why.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

class LaunchRegionsPass : public llvm::PassInfoMixin<LaunchRegionsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

} // namespace tutti::compiler
