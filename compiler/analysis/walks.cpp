// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/walks.h"

#include "compiler/analysis/expressions.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Gathers the loads that are not the model's values and that expressions are computed from, also
/// through instructions that scalar evolution does not look into.
class LoadCollector {
public:
  LoadCollector(const ChunkModel &model, ScalarEvolution &scev) : model_(model), scev_(scev) {}

  void visit(const SCEV *expression) {
    SCEVExprContains(expression, [&](const SCEV *part) {
      if (const auto *unknown = dyn_cast<SCEVUnknown>(part)) {
        visitLeaf(unknown->getValue());
      }
      return false;
    });
  }

  ArrayRef<LoadInst *> loads() const { return loads_.getArrayRef(); }

private:
  void visitLeaf(Value *value) {
    auto *inst = dyn_cast<Instruction>(value);
    if (!inst || isa<PHINode>(inst) || !seen_.insert(inst).second) {
      return;
    }
    if (auto *load = dyn_cast<LoadInst>(inst)) {
      if (!is_contained(model_.values(), load)) {
        loads_.insert(load);
      }
      return;
    }
    for (Use &use : inst->operands()) {
      if (scev_.isSCEVable(use->getType())) {
        visit(scev_.getSCEV(use.get()));
      }
    }
  }

  const ChunkModel &model_;
  ScalarEvolution &scev_;
  SmallPtrSet<Instruction *, 8> seen_;
  SmallSetVector<LoadInst *, 4> loads_;
};

SmallVector<const SCEVAddRecExpr *, 4> recurrencesIn(const SCEV *expression) {
  SmallVector<const SCEVAddRecExpr *, 4> recurrences;
  SCEVExprContains(expression, [&](const SCEV *part) {
    if (const auto *recurrence = dyn_cast<SCEVAddRecExpr>(part)) {
      recurrences.push_back(recurrence);
    }
    return false;
  });
  return recurrences;
}

bool isReadShared(const LoadInst &load) {
  return load.isSimple() && memoryKind(load.getPointerOperand()) == MemoryKind::Shared;
}

} // namespace

SmallVector<LoadInst *, 4> WalkFinder::loadsIn(const SCEV *expression) const {
  LoadCollector collector(model_, scev_);
  collector.visit(expression);
  return {collector.loads().begin(), collector.loads().end()};
}

bool WalkFinder::isFollowable(const LoadInst &load) const {
  if (!load.getType()->isPointerTy() || !isReadShared(load)) {
    return false;
  }
  const ClosedForms forms(model_, scev_);
  const SCEV *address = scev_.getSCEV(const_cast<Value *>(load.getPointerOperand()));
  return !SCEVExprContains(address, [&](const SCEV *part) {
    if (const auto *recurrence = dyn_cast<SCEVAddRecExpr>(part)) {
      return !recurrence->isAffine();
    }
    const auto *unknown = dyn_cast<SCEVUnknown>(part);
    if (!unknown) {
      return isa<SCEVCouldNotCompute, SCEVVScale>(part);
    }
    const auto *other = dyn_cast<LoadInst>(unknown->getValue());
    if (unknown->getValue() == model_.upper() || unknown->getValue() == model_.isLast()) {
      return true;
    }
    return !forms.isClosed(part) && !(other && isFollowable(*other));
  });
}

/// The pointers that `expression` depends on, and the loops in which they vary. Whether all can be
/// followed.
bool WalkFinder::addPointers(Found &found, const SCEV *expression, const BasicBlock &block,
                             Seen seen) const {
  for (LoadInst *load : loadsIn(expression)) {
    if (!load->getType()->isPointerTy() || found.loads.contains(load)) {
      continue;
    }
    const SCEV *address = seen(scev_.getSCEV(load->getPointerOperand()));
    if (!isFollowable(*load) || !addPointers(found, address, block, seen)) {
      return false;
    }
    for (const SCEVAddRecExpr *recurrence : recurrencesIn(address)) {
      if (!recurrence->getLoop()->contains(&block)) {
        return false; // The last one of a loop that has ended.
      }
      found.loops.insert(recurrence->getLoop());
    }
    found.loads.insert(load);
  }
  return true;
}

/// Extents of the loops that are walked have to be told in the iterations of those around them.
bool WalkFinder::addExtents(Found &found, const BasicBlock &block, Seen seen) const {
  for (std::size_t known = 0; known < found.loops.size(); ++known) { // It may grow.
    const SCEV *taken = scev_.getBackedgeTakenCount(found.loops[known]);
    if (isa<SCEVCouldNotCompute>(taken) || !addPointers(found, seen(taken), block, seen)) {
      return false;
    }
    for (const SCEVAddRecExpr *recurrence : recurrencesIn(seen(taken))) {
      found.loops.insert(recurrence->getLoop());
    }
  }
  return true;
}

/// Numbers that `expression` depends on and that lie where the walk comes by.
void WalkFinder::addLengths(Found &found, const SCEV *expression, Seen seen) const {
  for (LoadInst *load : loadsIn(expression)) {
    if (!load->getType()->isIntegerTy() || !isReadShared(*load)) {
      continue;
    }
    const SCEV *address = seen(scev_.getSCEV(load->getPointerOperand()));
    const auto isWalked = [&](const SCEVAddRecExpr *recurrence) {
      return recurrence->isAffine() && found.loops.contains(recurrence->getLoop());
    };
    const auto isFollowed = [&](LoadInst *other) { return found.loads.contains(other); };
    if (all_of(recurrencesIn(address), isWalked) && all_of(loadsIn(address), isFollowed)) {
      found.loads.insert(load);
    }
  }
}

WalkFinder::Found WalkFinder::find(ArrayRef<const SCEV *> expressions, const BasicBlock &block,
                                   Seen seen) const {
  SmallVector<const SCEV *, 6> all;
  for (const SCEV *expression : expressions) {
    all.push_back(seen(expression));
  }
  for (const Loop *loop = loops_.getLoopFor(&block); loop; loop = loop->getParentLoop()) {
    if (const SCEV *taken = scev_.getBackedgeTakenCount(loop); !isa<SCEVCouldNotCompute>(taken)) {
      all.push_back(seen(taken));
    }
  }
  Found found;
  const bool canFollow = all_of(
      all, [&](const SCEV *expression) { return addPointers(found, expression, block, seen); });
  if (!canFollow || !addExtents(found, block, seen) || found.loads.empty()) {
    return {};
  }
  for (const SCEV *expression : all) {
    addLengths(found, expression, seen);
  }
  return found;
}

} // namespace tutti::compiler
