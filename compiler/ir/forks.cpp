// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/forks.h"

#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace tutti::compiler {

Function *outlinedOf(const CallInst &fork) {
  auto *outlined = dyn_cast<Function>(fork.getArgOperand(2)->stripPointerCasts());
  return outlined && !outlined->isDeclaration() &&
                 outlined->arg_size() == fork.arg_size() - kFirstCapture + kThreadArguments
             ? outlined
             : nullptr;
}

SmallVector<CallInst *, 16> findForks(Module &module, StringRef name) {
  SmallVector<CallInst *, 16> forks;
  const Function *fork = module.getFunction(name);
  if (!fork) {
    return forks;
  }
  for (Function &function : module) {
    for (Instruction &inst : instructions(function)) {
      auto *call = dyn_cast<CallInst>(&inst);
      if (call && call->getCalledFunction() == fork && outlinedOf(*call)) {
        forks.push_back(call);
      }
    }
  }
  return forks;
}

} // namespace tutti::compiler
