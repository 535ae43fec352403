// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/split_constructs.h"

#include "compiler/analysis/construct_code.h"
#include "compiler/analysis/loop_sequence.h"
#include "compiler/analysis/teams.h"
#include "compiler/analysis/worksharing.h"
#include "compiler/ir/forks.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Gives `loop` no iterations, and nothing to combine.
void emptyLoop(SequencedLoop &loop) {
  IRBuilder<> build(loop.init);
  build.CreateStore(build.getInt32(0), loop.lastFlag());
  if (!loop.isDispatch()) {
    Type *counter = loop.init->getArgOperand(loop.init->arg_size() - 1)->getType();
    build.CreateStore(ConstantInt::get(counter, 1), operandOf(*loop.init, Role::Lower));
    build.CreateStore(ConstantInt::get(counter, 0), operandOf(*loop.init, Role::Upper));
  }
  for (auto *calls : {&loop.next, &loop.reduce}) {
    for (CallInst *call : *calls) {
      call->replaceAllUsesWith(ConstantInt::get(call->getType(), 0));
      call->eraseFromParent();
    }
  }
  for (CallInst *end : loop.ends) {
    end->eraseFromParent();
  }
  loop.init->eraseFromParent();
}

/// A copy of `outlined` in which only the loop of that index has iterations.
Function *copyWith(Function &outlined, unsigned index) {
  ValueToValueMapTy map;
  Function *copy = CloneFunction(&outlined, map);
  copy->setName(outlined.getName() + ".loop" + Twine(index));
  SmallVector<SequencedLoop, 4> loops = sequencedLoops(*copy);
  for (unsigned other = 0; other < loops.size(); ++other) {
    if (other != index) {
      emptyLoop(loops[other]);
    }
  }
  return copy;
}

/// Where `loop` is, as a place in the function of `fork`.
DebugLoc placeOf(const SequencedLoop &loop, const CallInst &fork) {
  const DebugLoc &own = loop.init->getDebugLoc();
  const DebugLoc &outer = fork.getDebugLoc();
  if (!own || !outer) {
    return outer;
  }
  return DILocation::get(fork.getContext(), own.getLine(), own.getCol(), outer.getScope(),
                         outer.getInlinedAt());
}

void split(Function &outlined, ArrayRef<CallInst *> forks) {
  const SmallVector<SequencedLoop, 4> loops = sequencedLoops(outlined);
  SmallVector<Function *, 4> copies;
  for (unsigned index = 0; index < loops.size(); ++index) {
    copies.push_back(copyWith(outlined, index));
  }
  for (CallInst *fork : forks) {
    const ThreadRequests requests = threadRequests(*fork);
    for (unsigned index = 0; index < loops.size(); ++index) {
      for (const CallInst *request : {requests.threads, requests.binding}) {
        if (request && index > 0) {
          request->clone()->insertBefore(fork);
        }
      }
      auto *one = cast<CallInst>(fork->clone());
      setOperand(*one, Role::Outlined, copies[index]);
      one->setDebugLoc(placeOf(loops[index], *fork));
      one->insertBefore(fork);
    }
    fork->eraseFromParent();
  }
}

} // namespace

PreservedAnalyses SplitConstructsPass::run(Module &module, ModuleAnalysisManager &analyses) {
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  MapVector<Function *, SmallVector<CallInst *, 1>> constructs;
  for (CallInst *fork : findForks(module, CallKind::Fork)) {
    constructs[outlinedOf(*fork)].push_back(fork);
  }
  bool changed = false;
  for (auto &[outlined, forks] : constructs) {
    const std::size_t count = sequencedLoops(*outlined).size();
    if (count < 2) {
      continue;
    }
    changed = true;
    Function *copy = promotedCopy(*outlined, outlined->getName() + ".promoted", functions);
    const std::string reason = sequencedLoops(*copy).size() == count
                                   ? whyNotApart(*copy, functions)
                                   : "a function that it calls holds one";
    functions.clear(*copy, copy->getName());
    copy->eraseFromParent();
    if (reason.empty()) {
      split(*outlined, forks);
    } else {
      outlined->addFnAttr(kWholeConstruct, reason);
    }
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace tutti::compiler
