// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/forks.h"

#include "llvm/ADT/SmallPtrSet.h"
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

ThreadRequests threadRequests(CallInst &fork) {
  ThreadRequests found;
  // An `if` clause may lie between them: the fork is in one of its branches.
  SmallPtrSet<const BasicBlock *, 8> seen;
  Instruction *inst = &fork;
  for (BasicBlock *block = fork.getParent(); block && seen.insert(block).second;
       block = block->getUniquePredecessor()) {
    for (inst = inst ? inst->getPrevNode() : &block->back(); inst; inst = inst->getPrevNode()) {
      auto *call = dyn_cast<CallInst>(inst);
      const Function *callee = call ? call->getCalledFunction() : nullptr;
      const StringRef name = callee ? callee->getName() : "";
      if (name == "__kmpc_push_num_threads") {
        found.threads = found.threads ? found.threads : call;
      } else if (name == "__kmpc_push_proc_bind") {
        found.binding = found.binding ? found.binding : call;
      } else if (name.starts_with("__kmpc_fork") || name.starts_with("__kmpc_serialized")) {
        return found; // What comes before was for that one.
      }
    }
  }
  return found;
}

} // namespace tutti::compiler
