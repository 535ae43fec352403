// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/guards.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tutti::compiler {

namespace {

/// What is computed from the bounds of the chunk.
class ChunkUse {
public:
  explicit ChunkUse(const ChunkModel &model) : model_(model) {}

  bool isIn(const Value *value);
  bool isIn(const SCEV *expression);

private:
  const ChunkModel &model_;
  SmallPtrSet<const Value *, 8> seen_; ///< And not computed from them, as far as is known.
};

/// Whether `value` is computed from the bounds of the chunk.
bool ChunkUse::isIn(const Value *value) {
  const auto *inst = dyn_cast<Instruction>(value);
  if (!inst || isa<LoadInst>(inst)) {
    return value == model_.lower() || value == model_.upper() || value == model_.isLast();
  }
  return seen_.insert(inst).second &&
         any_of(inst->operands(), [this](const Use &use) { return isIn(use.get()); });
}

bool ChunkUse::isIn(const SCEV *expression) {
  return SCEVExprContains(expression, [this](const SCEV *part) {
    const auto *unknown = dyn_cast<SCEVUnknown>(part);
    return unknown && isIn(unknown->getValue());
  });
}

} // namespace

GuardFinder::GuardFinder(ChunkModel &model, const ClosedForms &forms,
                         FunctionAnalysisManager &analyses)
    : model_(model), forms_(forms), loops_(analyses.getResult<LoopAnalysis>(model.function())),
      scev_(analyses.getResult<ScalarEvolutionAnalysis>(model.function())),
      dominators_(analyses.getResult<DominatorTreeAnalysis>(model.function())),
      postDominators_(analyses.getResult<PostDominatorTreeAnalysis>(model.function())) {}

bool GuardFinder::addAll(Guards &guards, BasicBlock *block, Seen seen) {
  bool exact = true;
  const DomTreeNode *node = dominators_.getNode(block);
  for (; node->getIDom(); node = node->getIDom()) {
    BasicBlock *dominator = node->getIDom()->getBlock();
    auto *branch = dyn_cast<BranchInst>(dominator->getTerminator());
    int taken = -1;
    if (branch && branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1)) {
      for (int side = 0; side < 2; ++side) {
        if (dominators_.dominates(BasicBlockEdge(dominator, branch->getSuccessor(side)), block)) {
          taken = side;
        }
      }
    }
    if (taken < 0) {
      exact = exact && postDominators_.dominates(node->getBlock(), dominator);
      continue;
    }
    const Loop *loop = loops_.getLoopFor(dominator);
    if (loop && !loop->contains(branch->getSuccessor(taken)) && !loop->contains(block)) {
      continue; // Every loop is left in the end.
    }
    exact = add(guards, branch->getCondition(), taken == 0, seen) && exact;
  }
  return exact;
}

bool GuardFinder::add(Guards &guards, Value *condition, bool holds, Seen seen) {
  Value *left = nullptr;
  Value *right = nullptr;
  if (holds ? match(condition, m_LogicalAnd(m_Value(left), m_Value(right)))
            : match(condition, m_LogicalOr(m_Value(left), m_Value(right)))) {
    const bool hasLeft = add(guards, left, holds, seen);
    return add(guards, right, holds, seen) && hasLeft;
  }
  if (forms_.isClosed(condition)) {
    guards.push_back({condition, holds});
    return true;
  }
  auto *compare = dyn_cast<ICmpInst>(condition);
  if (!compare || !scev_.isSCEVable(compare->getOperand(0)->getType())) {
    return false;
  }
  AccessRecord::Guard guard{nullptr, holds, compare->getPredicate(),
                            seen(scev_.getSCEV(compare->getOperand(0))),
                            seen(scev_.getSCEV(compare->getOperand(1)))};
  if (!forms_.isClosed(guard.left) || !forms_.isClosed(guard.right)) {
    wantsPerIteration_ = true;
    return false;
  }
  guards.push_back(guard);
  return true;
}

void GuardFinder::dropOfChunks(Guards &guards) const {
  erase_if(guards, [this](const AccessRecord::Guard &guard) {
    ChunkUse use(model_);
    return guard.condition ? use.isIn(guard.condition)
                           : use.isIn(guard.left) || use.isIn(guard.right);
  });
}

} // namespace tutti::compiler
