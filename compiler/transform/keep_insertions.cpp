// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/keep_insertions.h"

#include "compiler/ir/output_calls.h"

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tutti::compiler {

PreservedAnalyses KeepInsertionsPass::run(Module &module, ModuleAnalysisManager &) {
  for (Function &function : module) {
    if (!isInsertion(function)) {
      continue;
    }
    for (User *user : function.users()) {
      if (auto *call = dyn_cast<CallBase>(user)) {
        call->setIsNoInline();
      }
    }
  }
  return PreservedAnalyses::all();
}

} // namespace tutti::compiler
