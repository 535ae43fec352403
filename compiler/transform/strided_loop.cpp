// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/strided_loop.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace tutti::compiler {

bool StridedLoop::isLiveAfter(const Value &value) const {
  return any_of(value.users(),
                [this](const User *user) { return !loop_.contains(cast<Instruction>(user)); });
}

/// What `phi` is in each iteration, if that is a + b k or a + b k + c k (k - 1) / 2 in iteration k.
/// The second is what is left of a product of counters, as the trip count of an inner loop.
const SCEVAddRecExpr *StridedLoop::recurrenceOf(PHINode &phi) const {
  const auto *recurrence =
      scev_.isSCEVable(phi.getType()) ? dyn_cast<SCEVAddRecExpr>(scev_.getSCEV(&phi)) : nullptr;
  return recurrence && recurrence->getLoop() == &loop_ &&
                 (recurrence->isAffine() ||
                  (recurrence->isQuadratic() && phi.getType()->isIntegerTy()))
             ? recurrence
             : nullptr;
}

/// Whether nothing in the loop uses `phi` but what makes its next value.
bool StridedLoop::onlyCounts(PHINode &phi) const {
  auto *next = dyn_cast<Instruction>(phi.getIncomingValueForBlock(loop_.getLoopLatch()));
  const auto uses = [this](Value *value, Value *only) {
    return all_of(value->users(), [&](const User *user) {
      return user == only || !loop_.contains(cast<Instruction>(user));
    });
  };
  return next && uses(&phi, next) && uses(next, &phi);
}

/// Whether `phi` goes from iteration to iteration only to be added to: its next value is computed
/// from it, and nothing else in the loop is.
bool StridedLoop::accumulates(PHINode &phi) const {
  const Value *next = phi.getIncomingValueForBlock(loop_.getLoopLatch());
  SmallPtrSet<const Instruction *, 16> derived{&phi};
  SmallVector<const Instruction *, 16> work{&phi};
  while (!work.empty()) {
    for (const User *user : work.pop_back_val()->users()) {
      const auto *inst = cast<Instruction>(user);
      if (!loop_.contains(inst) || !derived.insert(inst).second) {
        continue;
      }
      if (inst->mayReadOrWriteMemory()) {
        return false;
      }
      work.push_back(inst);
    }
  }
  const auto *last = dyn_cast<Instruction>(next);
  return last && derived.contains(last);
}

std::string StridedLoop::analyse(bool accumulating) {
  accumulating_ = accumulating;
  const std::string unusual = "its loop has a form that kernels cannot divide";
  BasicBlock *latch = loop_.getLoopLatch();
  BasicBlock *exit = loop_.getUniqueExitBlock();
  if (!loop_.getLoopPreheader() || !latch || !exit || loop_.getExitingBlock() != latch ||
      exit->getUniquePredecessor() != latch || !isa<BranchInst>(latch->getTerminator())) {
    return unusual;
  }
  SCEVExpander expander(scev_, latch->getDataLayout(), "stride");
  const Instruction *before = loop_.getLoopPreheader()->getTerminator();
  for (PHINode &phi : loop_.getHeader()->phis()) {
    const SCEVAddRecExpr *recurrence = recurrenceOf(phi);
    const bool isResult =
        accumulating && (isLiveAfter(phi) || isLiveAfter(*phi.getIncomingValueForBlock(latch)));
    if (isResult && !(recurrence && recurrence->isAffine())) {
      if (!accumulates(phi)) {
        return "it carries a value from one iteration to the next";
      }
      continue;
    }
    if (!recurrence) {
      const bool isCounted =
          scev_.isSCEVable(phi.getType()) && isa<SCEVAddRecExpr>(scev_.getSCEV(&phi));
      if (!accumulating || isCounted || !accumulates(phi)) {
        return "it carries a value from one iteration to the next";
      }
      continue;
    }
    if (isResult) {
      if (!onlyCounts(phi)) {
        return unusual;
      }
      continue;
    }
    if (!all_of(drop_begin(recurrence->operands()),
                [&](const SCEV *step) { return expander.isSafeToExpandAt(step, before); })) {
      return unusual;
    }
    inductions_.push_back(&phi);
  }
  for (PHINode &phi : exit->phis()) {
    if (accumulating && !withoutIterations(phi.getIncomingValueForBlock(latch))) {
      return "its reduction uses what the last iteration leaves";
    }
  }
  return {};
}

/// What `value` is after the loop if no iteration was executed; null if it is nothing then.
Value *StridedLoop::withoutIterations(Value *value) const {
  auto *inst = dyn_cast<Instruction>(value);
  if (!inst || !loop_.contains(inst)) {
    return value;
  }
  for (PHINode &phi : loop_.getHeader()->phis()) {
    if (&phi == value || phi.getIncomingValueForBlock(loop_.getLoopLatch()) == value) {
      return phi.getIncomingValueForBlock(loop_.getLoopPreheader());
    }
  }
  return nullptr;
}

/// The value of `phi` in iteration `counter`.
Value *StridedLoop::atIteration(PHINode &phi, Value *counter, Instruction *before) const {
  const SCEVAddRecExpr *recurrence = recurrenceOf(phi);
  BasicBlock *preheader = loop_.getLoopPreheader();
  SCEVExpander expander(scev_, before->getDataLayout(), "stride");
  Value *start = phi.getIncomingValueForBlock(preheader);
  IRBuilder<> build(before);
  const auto times = [&](Value *steps, const SCEV *step) {
    Value *distance = expander.expandCodeFor(step, step->getType(), preheader->getTerminator());
    steps = build.CreateZExtOrTrunc(steps, step->getType());
    return step->isOne() ? steps : build.CreateMul(steps, distance);
  };
  Value *offset = times(counter, recurrence->getOperand(1));
  if (recurrence->isQuadratic()) {
    // k (k - 1) / 2: k / 2, rounded down, times the odd one of k and k - 1.
    Value *half = build.CreateLShr(counter, 1);
    Value *odd = build.CreateOr(build.CreateSub(counter, build.getInt64(1)), 1);
    offset = build.CreateAdd(offset, times(build.CreateMul(half, odd), recurrence->getOperand(2)));
  }
  return phi.getType()->isPointerTy() ? build.CreatePtrAdd(start, offset)
                                      : build.CreateAdd(start, offset);
}

void StridedLoop::divide(Value *first, Value *step, Value *trip) {
  BasicBlock *header = loop_.getHeader();
  BasicBlock *latch = loop_.getLoopLatch();
  BasicBlock *exit = loop_.getUniqueExitBlock();
  BasicBlock *preheader = loop_.getLoopPreheader();
  SmallVector<std::pair<PHINode *, Value *>, 4> skipped;
  BasicBlock *behind = exit;
  if (accumulating_) {
    for (PHINode &phi : exit->phis()) {
      skipped.push_back({&phi, withoutIterations(phi.getIncomingValueForBlock(latch))});
    }
  } else {
    behind = BasicBlock::Create(header->getContext(), "idle", header->getParent(), exit);
    ReturnInst::Create(header->getContext(), behind);
  }
  IRBuilder<> build(&header->front());
  PHINode *counter = build.CreatePHI(build.getInt64Ty(), 2, "k");
  SmallVector<Value *, 4> values;
  Instruction *body = &*header->getFirstInsertionPt();
  for (PHINode *phi : inductions_) {
    values.push_back(atIteration(*phi, counter, body));
  }
  for (auto [phi, value] : zip_equal(inductions_, values)) {
    phi->replaceAllUsesWith(value);
    phi->eraseFromParent();
  }
  build.SetInsertPoint(latch->getTerminator());
  Value *next = build.CreateAdd(counter, step, "k.next", /*HasNUW=*/true, /*HasNSW=*/true);
  build.CreateCondBr(build.CreateICmpSLT(next, trip), header, exit);
  latch->getTerminator()->eraseFromParent();
  BasicBlock *enter =
      BasicBlock::Create(header->getContext(), "strided", header->getParent(), header);
  BranchInst::Create(header, enter);
  header->replacePhiUsesWith(preheader, enter);
  counter->addIncoming(first, enter);
  counter->addIncoming(next, latch);
  build.SetInsertPoint(preheader->getTerminator());
  build.CreateCondBr(build.CreateICmpSLT(first, trip), enter, behind);
  preheader->getTerminator()->eraseFromParent();
  for (auto [phi, value] : skipped) {
    phi->addIncoming(value, preheader);
  }
}

} // namespace tutti::compiler
