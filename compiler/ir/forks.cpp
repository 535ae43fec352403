// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/forks.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace tutti::compiler {

Function *outlinedOf(const CallInst &fork) {
  auto *outlined = dyn_cast<Function>(operandOf(fork, Role::Outlined)->stripPointerCasts());
  return outlined && !outlined->isDeclaration() &&
                 outlined->arg_size() == fork.arg_size() - kFirstCapture + kThreadArguments
             ? outlined
             : nullptr;
}

SmallVector<CallInst *, 16> findForks(Module &module, CallKind kind) {
  SmallVector<CallInst *, 16> forks;
  if (calleesOf(module, kind).empty()) {
    return forks;
  }
  for (Function &function : module) {
    for (Instruction &inst : instructions(function)) {
      auto *call = dyn_cast<CallInst>(&inst);
      if (call && kindOf(*call) == kind && outlinedOf(*call)) {
        forks.push_back(call);
      }
    }
  }
  return forks;
}

void ThreadRequests::repeat(IRBuilder<> &build) const {
  for (const CallInst *request : {threads, binding}) {
    if (request) {
      build.Insert(request->clone());
    }
  }
}

ThreadRequests threadRequests(CallInst &fork) {
  ThreadRequests found;
  // An `if` clause may lie between them: the fork is in one of its branches.
  SmallPtrSet<const BasicBlock *, 8> seen;
  Instruction *inst = &fork;
  for (BasicBlock *block = fork.getParent(); block && seen.insert(block).second;
       block = block->getUniquePredecessor()) {
    for (inst = inst ? inst->getPrevNode() : &block->back(); inst; inst = inst->getPrevNode()) {
      switch (kindOf(*inst)) {
      case CallKind::RequestThreads:
        found.threads = found.threads ? found.threads : cast<CallInst>(inst);
        break;
      case CallKind::RequestBinding:
        found.binding = found.binding ? found.binding : cast<CallInst>(inst);
        break;
      case CallKind::Fork:
      case CallKind::ForkTeams:
      case CallKind::OtherFork:
      case CallKind::SerialFork:
        return found; // What comes before was for that one.
      default:
        break;
      }
    }
  }
  return found;
}

} // namespace tutti::compiler
