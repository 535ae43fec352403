// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/absorb_stores.h"

#include "compiler/analysis/worksharing.h"
#include "compiler/ir/construct_calls.h"
#include "compiler/ir/fragment_calls.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <optional>

using namespace llvm;

namespace tutti::compiler {

namespace {

/// A store behind the loop of what an iteration has stored elsewhere.
struct Late {
  StoreInst *store;
  LoadInst *load;      ///< What it stores.
  StoreInst *made;     ///< In the loop.
  const SCEV *way;     ///< How many bytes behind that of the first iteration the element lies.
  std::int64_t stride; ///< How many bytes that of the next iteration does.
  BasicBlock *common;  ///< From which all ways to `store` go, past the loop or through it.
  Value *isThere;      ///< In front of the loop: whether an iteration makes the element ...
  Value *own;          ///< ... and which one; -1 if none does.
};

class Absorption {
public:
  Absorption(Loop &loop, LoopInfo &loops, ScalarEvolution &scev, DominatorTree &dominators,
             const PostDominatorTree &postDominators)
      : loop_(loop), loops_(loops), scev_(scev), dominators_(dominators),
        postDominators_(postDominators), before_(loop.getLoopPreheader()),
        expander_(scev, before_->getModule()->getDataLayout(), "absorbed") {}

  bool run();

private:
  void surveyBehind();
  std::optional<Late> understand(StoreInst &store);
  bool findMaker(Late &late);
  bool isOnlyAccess(const StoreInst &store, const Argument &fragment) const;
  bool canGoAhead(Value *value, const Argument &target, const BasicBlock &block,
                  unsigned depth = 0);
  void findIteration(Late &late, Value *last);
  void absorb(const Late &late, Value *number, Instruction *latchEnd);

  Loop &loop_;
  LoopInfo &loops_;
  ScalarEvolution &scev_;
  DominatorTree &dominators_;
  const PostDominatorTree &postDominators_;
  BasicBlock *before_;
  SCEVExpander expander_;
  SmallVector<Instruction *, 32> behind_;       ///< What always follows when the loop has ended.
  SmallSetVector<Instruction *, 8> movedAhead_; ///< Of addresses, operands first.
};

void Absorption::surveyBehind() {
  SmallPtrSet<const BasicBlock *, 8> seen;
  for (BasicBlock *block = loop_.getUniqueExitBlock();
       block && !loops_.getLoopFor(block) && seen.insert(block).second;
       block = block->getUniqueSuccessor()) {
    for (Instruction &inst : *block) {
      if (kindOf(inst) == CallKind::Fork) { // A piece that was taken out before.
        return;
      }
      behind_.push_back(&inst);
    }
  }
}

/// Whether nothing else in the function touches the fragment that `store` writes, or asks for it,
/// but the call that makes it: so the store may happen earlier.
bool Absorption::isOnlyAccess(const StoreInst &store, const Argument &fragment) const {
  unsigned calls = 0;
  for (const Instruction &inst : instructions(*before_->getParent())) {
    if (const Value *pointer = getLoadStorePointerOperand(&inst);
        pointer && &inst != &store && !isHandle(inst) && fragmentBehind(pointer) == &fragment) {
      return false;
    }
    if (fragmentCallOf(inst) != FragmentCall::None &&
        fragmentOf(cast<CallBase>(inst)) == &fragment) {
      ++calls;
    }
  }
  return calls == 1;
}

/// Whether `value` is known at the end of `block`, or what computes it may go there, which is then
/// noted: the call that makes `target`, too, as `block` is executed as often as where that stands.
bool Absorption::canGoAhead(Value *value, const Argument &target, const BasicBlock &block,
                            unsigned depth) {
  constexpr unsigned kMostDepth = 16;
  auto *inst = dyn_cast<Instruction>(value);
  if (!inst || dominators_.dominates(inst, block.getTerminator()) || movedAhead_.contains(inst)) {
    return true;
  }
  const auto *call = dyn_cast<CallBase>(inst);
  const bool isMovable = isHandle(*inst) ||
                         (call && createsFragment(*call) && fragmentOf(*call) == &target) ||
                         (!inst->mayReadOrWriteMemory() && isSafeToSpeculativelyExecute(inst));
  if (!isMovable || isa<PHINode>(inst) || depth > kMostDepth) {
    return false;
  }
  for (Use &operand : inst->operands()) {
    if (!canGoAhead(operand.get(), target, block, depth + 1)) {
      return false;
    }
  }
  movedAhead_.insert(inst);
  return true;
}

/// Finds a store of each iteration whose places include that of the load.
bool Absorption::findMaker(Late &late) {
  const SCEV *place = scev_.getSCEV(late.load->getPointerOperand());
  for (BasicBlock *block : loop_.blocks()) {
    for (Instruction &inst : *block) {
      auto *store = dyn_cast<StoreInst>(&inst);
      if (!store || store->getValueOperand()->getType() != late.load->getType() ||
          !dominators_.dominates(block, loop_.getLoopLatch())) {
        continue;
      }
      const auto *places = dyn_cast<SCEVAddRecExpr>(scev_.getSCEV(store->getPointerOperand()));
      if (!places || places->getLoop() != &loop_ || !places->isAffine()) {
        continue;
      }
      const auto *stride = dyn_cast<SCEVConstant>(places->getStepRecurrence(scev_));
      const SCEV *way = scev_.getMinusSCEV(place, places->getStart());
      if (stride && !stride->isZero() && !isa<SCEVCouldNotCompute>(way) &&
          scev_.getTypeSizeInBits(way->getType()) == 64 &&
          expander_.isSafeToExpandAt(way, before_->getTerminator())) {
        late.made = store;
        late.way = way;
        late.stride = stride->getAPInt().getSExtValue();
        return true;
      }
    }
  }
  return false;
}

std::optional<Late> Absorption::understand(StoreInst &store) {
  Late late{};
  late.store = &store;
  late.load = dyn_cast<LoadInst>(store.getValueOperand());
  const Argument *target = fragmentBehind(store.getPointerOperand());
  if (!late.load || !is_contained(behind_, late.load) || !store.isSimple() ||
      !late.load->isSimple() || !target || !isOnlyAccess(store, *target)) {
    return std::nullopt;
  }
  const Argument *source = fragmentBehind(late.load->getPointerOperand());
  const bool isChanged = any_of(behind_, [&](Instruction *inst) {
    const auto *other = dyn_cast<StoreInst>(inst);
    return other && fragmentBehind(other->getPointerOperand()) == source;
  });
  if (!source || isChanged || !findMaker(late)) {
    return std::nullopt;
  }
  late.common = dominators_.findNearestCommonDominator(before_, store.getParent());
  const std::size_t known = movedAhead_.size();
  const bool isRight = !loops_.getLoopFor(late.common) &&
                       postDominators_.dominates(store.getParent(), late.common) &&
                       canGoAhead(store.getPointerOperand(), *target, *late.common);
  while (!isRight && movedAhead_.size() > known) {
    movedAhead_.pop_back();
  }
  for (Instruction *inst : movedAhead_.getArrayRef().drop_front(known)) {
    inst->moveBefore(late.common->getTerminator());
  }
  return isRight ? std::optional(late) : std::nullopt;
}

/// Computes which iteration of those up to `last` makes the element.
void Absorption::findIteration(Late &late, Value *last) {
  Instruction *end = before_->getTerminator();
  IRBuilder<> build(end);
  Value *way = expander_.expandCodeFor(late.way, build.getInt64Ty(), end->getIterator());
  Value *stride = build.getInt64(late.stride);
  Value *own = build.CreateSDiv(way, stride);
  Value *isElement = build.CreateICmpEQ(build.CreateMul(own, stride), way);
  Value *isInside =
      build.CreateAnd(build.CreateICmpSGE(own, build.getInt64(0)), build.CreateICmpSLE(own, last));
  late.isThere = build.CreateAnd(isElement, isInside);
  late.own = build.CreateSelect(late.isThere, own, build.getInt64(-1));
}

/// `number` counts the iterations, which end at `latchEnd`.
void Absorption::absorb(const Late &late, Value *number, Instruction *latchEnd) {
  IRBuilder<> build(latchEnd);
  const auto storeAgain = [&](Value *condition, Instruction *where, const Value *from) {
    build.SetInsertPoint(
        SplitBlockAndInsertIfThen(condition, where->getIterator(), /*Unreachable=*/false));
    build.SetCurrentDebugLocation(late.store->getDebugLoc());
    Value *value = build.CreateAlignedLoad(late.load->getType(), const_cast<Value *>(from),
                                           late.load->getAlign());
    build.CreateAlignedStore(value, late.store->getPointerOperand(), late.store->getAlign());
  };
  storeAgain(build.CreateICmpEQ(number, late.own), latchEnd, late.made->getPointerOperand());

  // What is left for when the loop has not run, or has no such iteration.
  SSAUpdater done;
  done.Initialize(build.getInt1Ty(), "done");
  done.AddAvailableValue(before_, late.isThere);
  if (late.common != before_) {
    done.AddAvailableValue(late.common, build.getFalse());
  }
  build.SetInsertPoint(late.store);
  Value *isLeft = build.CreateNot(done.GetValueInMiddleOfBlock(late.store->getParent()));
  storeAgain(isLeft, late.store, late.load->getPointerOperand());
  late.store->eraseFromParent();
  if (late.load->use_empty()) {
    late.load->eraseFromParent();
  }
}

bool Absorption::run() {
  const SCEV *taken = scev_.getBackedgeTakenCount(&loop_);
  if (!loop_.isLoopSimplifyForm() || !loop_.getUniqueExitBlock() ||
      loop_.getExitingBlock() != loop_.getLoopLatch() || isa<SCEVCouldNotCompute>(taken) ||
      scev_.getTypeSizeInBits(taken->getType()) > 64 ||
      !expander_.isSafeToExpandAt(taken, before_->getTerminator())) {
    return false;
  }
  surveyBehind();
  SmallVector<Late, 4> found;
  for (Instruction *inst : behind_) {
    if (auto *store = dyn_cast<StoreInst>(inst)) {
      if (std::optional<Late> late = understand(*store)) {
        found.push_back(*late);
      }
    }
  }
  if (found.empty()) {
    return false;
  }
  Type *i64 = Type::getInt64Ty(before_->getContext());
  Value *last = expander_.expandCodeFor(scev_.getNoopOrZeroExtend(taken, i64), i64,
                                        before_->getTerminator()->getIterator());
  for (Late &late : found) { // As long as analyses hold.
    findIteration(late, last);
  }
  Instruction *latchEnd = loop_.getLoopLatch()->getTerminator();
  IRBuilder<> build(&loop_.getHeader()->front());
  PHINode *number = build.CreatePHI(i64, 2, "number");
  build.SetInsertPoint(latchEnd);
  number->addIncoming(build.getInt64(0), before_);
  number->addIncoming(build.CreateNUWAdd(number, build.getInt64(1)), loop_.getLoopLatch());
  for (const Late &late : found) {
    absorb(late, number, latchEnd);
  }
  return true;
}

} // namespace

bool absorbStores(Loop &loop, LoopInfo &loops, ScalarEvolution &scev, DominatorTree &dominators,
                  const PostDominatorTree &postDominators) {
  return loop.getLoopPreheader() && Absorption(loop, loops, scev, dominators, postDominators).run();
}

} // namespace tutti::compiler
