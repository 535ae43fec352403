// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/unoptimised.h"

#include "compiler/ir/forks.h"

#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tutti::compiler {

PreservedAnalyses UnoptimisedPass::run(Module &module, ModuleAnalysisManager &) {
  SmallVector<CallInst *, 16> forks = findForks(module, CallKind::Fork);
  forks.append(findForks(module, CallKind::ForkTeams));
  if (!forks.empty()) {
    OptimizationRemarkEmitter emitter(forks.front()->getFunction());
    emitter.emit([&] {
      return OptimizationRemarkMissed("tutti", "Unoptimised", forks.front())
             << "parallel loops of this file stay on rank 0: it is compiled without optimisation; "
                "from -O1 on they can be distributed";
    });
  }
  return PreservedAnalyses::all();
}

} // namespace tutti::compiler
