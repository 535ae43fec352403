// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/version_constructs.h"

#include "compiler/analysis/uniform_branches.h"
#include "compiler/ir/forks.h"
#include "compiler/ir/function_copies.h"
#include "compiler/transform/before_fork.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// A copy of `function` in SSA form.
Function *promotedCopyOf(Function &function, const Twine &suffix,
                         FunctionAnalysisManager &analyses) {
  ValueToValueMapTy map;
  Function *copy = copyOf(function, function.getName() + suffix, map);
  removeUnreachableBlocks(*copy);
  SROAPass(SROAOptions::PreserveCFG).run(*copy, analyses);
  analyses.clear(*copy, copy->getName());
  return copy;
}

void erase(Function &copy, FunctionAnalysisManager &analyses) {
  analyses.clear(copy, copy.getName());
  copy.eraseFromParent();
}

/// Decides all branches of a construct, and of those that it forks, on one condition.
class Decider {
public:
  Decider(const Value &condition, bool isTrue, FunctionAnalysisManager &analyses)
      : condition_(condition), isTrue_(isTrue), analyses_(analyses) {}

  /// Order: the branch of the condition comes last, because the others are compared with it.
  void decide(Function &function) {
    descend(function);
    for (BranchInst *branch : branchesOf(function)) {
      decided_.push_back(branch);
    }
  }

  void finish() {
    SmallPtrSet<Function *, 4> functions;
    for (BranchInst *branch : decided_) {
      branch->setCondition(ConstantInt::getBool(branch->getContext(), isTrue_));
      functions.insert(branch->getFunction());
    }
    for (Function *function : functions) {
      for (BasicBlock &block : *function) {
        ConstantFoldTerminator(&block);
      }
      removeUnreachableBlocks(*function);
    }
  }

private:
  SmallVector<BranchInst *, 4> branchesOf(Function &function) const {
    SmallVector<BranchInst *, 4> found;
    for (BasicBlock &block : function) {
      auto *branch = dyn_cast<BranchInst>(block.getTerminator());
      if (branch && branch->isConditional() &&
          captures_.areSame(branch->getCondition(), &condition_)) {
        found.push_back(branch);
      }
    }
    return found;
  }

  void descend(Function &function) {
    for (Instruction &inst : instructions(function)) {
      auto *fork = dyn_cast<CallInst>(&inst);
      Function *inner = fork && kindOf(*fork) == CallKind::Fork ? outlinedOf(*fork) : nullptr;
      if (!inner) {
        continue;
      }
      Function *copy = promotedCopyOf(*inner, isTrue_ ? ".if" : ".else", analyses_);
      captures_.bind(*fork, *copy);
      if (branchesOf(*copy).empty()) {
        erase(*copy, analyses_);
        continue;
      }
      decide(*copy);
      setOperand(*fork, Role::Outlined, copy);
    }
  }

  const Value &condition_;
  bool isTrue_;
  FunctionAnalysisManager &analyses_;
  BoundCaptures captures_;
  SmallVector<BranchInst *, 4> decided_;
};

/// Both versions of a construct.
struct Versions {
  Function *promoted = nullptr; ///< With both, and with what `condition` is computed from.
  BranchInst *choice = nullptr;
  Function *holds = nullptr;
  Function *otherwise = nullptr;
};

Function *version(Function &promoted, bool isTrue, FunctionAnalysisManager &analyses) {
  Function *copy = promotedCopyOf(promoted, isTrue ? ".if" : ".else", analyses);
  Decider decider(*choiceOfVersions(*copy)->getCondition(), isTrue, analyses);
  decider.decide(*copy);
  decider.finish();
  return copy;
}

/// Forks `versions` in place of what has both.
void replaceFork(CallInst &fork, const Versions &versions) {
  Value *condition = computeBefore(fork, versions.choice->getCondition());
  CallInst *request = requestFor(fork);
  Instruction *then = nullptr;
  Instruction *otherwise = nullptr;
  SplitBlockAndInsertIfThenElse(condition, &fork, &then, &otherwise);
  for (auto [place, function] :
       {std::pair(then, versions.holds), std::pair(otherwise, versions.otherwise)}) {
    if (request) {
      request->clone()->insertBefore(place);
    }
    auto *one = cast<CallInst>(fork.clone());
    setOperand(*one, Role::Outlined, function);
    one->insertBefore(place);
  }
  if (request) {
    request->eraseFromParent();
  }
  fork.eraseFromParent();
}

bool versionForks(Module &module, CallKind kind, FunctionAnalysisManager &analyses) {
  MapVector<Function *, SmallVector<CallInst *, 1>> constructs;
  for (CallInst *fork : findForks(module, kind)) {
    constructs[outlinedOf(*fork)].push_back(fork);
  }
  bool changed = false;
  for (auto &[outlined, forks] : constructs) {
    if (!mayHaveVersions(*outlined)) {
      continue;
    }
    Versions versions;
    versions.promoted = promotedCopyOf(*outlined, ".versions", analyses);
    versions.choice = choiceOfVersions(*versions.promoted);
    if (versions.choice) {
      changed = true;
      versions.holds = version(*versions.promoted, true, analyses);
      versions.otherwise = version(*versions.promoted, false, analyses);
      for (CallInst *fork : forks) {
        replaceFork(*fork, versions);
      }
    }
    erase(*versions.promoted, analyses);
  }
  return changed;
}

} // namespace

PreservedAnalyses VersionConstructsPass::run(Module &module, ModuleAnalysisManager &analyses) {
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  bool changed = versionForks(module, CallKind::ForkTeams, functions);
  changed |= versionForks(module, CallKind::Fork, functions);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace tutti::compiler
