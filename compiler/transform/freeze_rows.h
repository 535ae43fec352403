// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Lets a loop count from where rows of a variable length begin, whatever that was computed from.
///
///   %row = getelementptr double, ptr %a, i64 %product      ; in front of the loop, i * length
///   %kept = freeze ptr %row
///   ...
///   %element = getelementptr double, ptr %kept, i64 %k     ; in the loop
///
/// The backend's strength reduction tries the sums into which the address of each access can be
/// divided. A stencil over local parts of arrays, whose rows begin at sums of products, has so many
/// of them that to try them takes as long as all other passes together, and the one that it then
/// finds needs more instructions than the address of each row in a register. It does not look
/// behind a freeze.
///
/// Only where the loop has many such rows, or they begin within rows, as in arrays of three
/// dimensions. Rows of constant length are left: of those one register serves several. Preserves
/// the CFG.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tutti::compiler {

/// Order: last; all that asks for addresses has been there.
class FreezeRowsPass : public llvm::PassInfoMixin<FreezeRowsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace tutti::compiler
