// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/work_items.h"

#include "compiler/ir/kernel.h"
#include "compiler/transform/tile.h"

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Stores to `slot` only where its value changes: not on the way around a loop that does not run.
void storeChangesOnly(Argument &slot) {
  SmallVector<StoreInst *, 4> work;
  SmallPtrSet<const Value *, 4> loads;
  for (User *user : slot.users()) {
    if (auto *store = dyn_cast<StoreInst>(user)) {
      work.push_back(store);
    } else {
      loads.insert(user);
    }
  }
  while (!work.empty() && loads.size() == 1) {
    StoreInst *store = work.pop_back_val();
    auto *phi = dyn_cast<PHINode>(store->getValueOperand());
    if (!phi || phi->getParent() != store->getParent()) {
      continue;
    }
    const bool isFirst = none_of(make_range(phi->getParent()->begin(), store->getIterator()),
                                 [&](const Instruction &inst) { return loads.contains(&inst); });
    const bool isUnchanged =
        any_of(phi->incoming_values(), [&](const Use &use) { return loads.contains(use.get()); });
    const bool canMove = all_of(zip_equal(phi->incoming_values(), phi->blocks()), [&](auto way) {
      auto &&[value, block] = way;
      return loads.contains(value.get()) || block->getSingleSuccessor();
    });
    if (!isFirst || !isUnchanged || !canMove) {
      continue;
    }
    for (auto [value, block] : zip_equal(phi->incoming_values(), phi->blocks())) {
      if (!loads.contains(value.get())) {
        auto *copy = cast<StoreInst>(store->clone());
        copy->setOperand(0, value.get());
        copy->insertBefore(block->getTerminator());
        work.push_back(copy);
      }
    }
    store->eraseFromParent();
    if (phi->use_empty()) {
      phi->eraseFromParent();
    }
  }
}

bool isLiveAfter(const Value &value, const Loop &loop) {
  return any_of(value.users(),
                [&](const User *user) { return !loop.contains(cast<Instruction>(user)); });
}

} // namespace

WorkItems::WorkItems(Function &kernel, const ParallelNest &nest, FunctionAnalysisManager &analyses)
    : kernel_(kernel), nest_(nest), analyses_(analyses), parameters_(nest.order.size(), kNone),
      tile_(nest.order.size(), 1) {}

WorkItems::~WorkItems() {
  if (item_) {
    item_->eraseFromParent();
  }
}

bool WorkItems::analyse(Loop &loop, unsigned dimension, const SCEV *trip) {
  auto &scev = analyses_.getResult<ScalarEvolutionAnalysis>(kernel_);
  Single single{loop.getLoopPreheader(),
                loop.getHeader(),
                loop.getLoopLatch(),
                loop.getUniqueExitBlock(),
                dimension,
                nullptr,
                {},
                {},
                {}};
  if (!single.preheader || !single.latch || !single.exit ||
      loop.getExitingBlock() != single.latch ||
      single.exit->getUniquePredecessor() != single.latch) {
    return false;
  }
  Instruction *before = single.preheader->getTerminator();
  SCEVExpander expander(scev, kernel_.getDataLayout(), "step");
  const bool isChunk = singles_.empty();
  if (!isChunk && !LaunchConditions::isClosed(trip)) {
    if (!expander.isSafeToExpandAt(trip, before)) {
      return false;
    }
    single.trip = expander.expandCodeFor(trip, Type::getInt64Ty(kernel_.getContext()), before);
  }
  for (PHINode &phi : single.header->phis()) {
    const auto *recurrence =
        scev.isSCEVable(phi.getType()) ? dyn_cast<SCEVAddRecExpr>(scev.getSCEV(&phi)) : nullptr;
    const Value *next = phi.getIncomingValueForBlock(single.latch);
    // What is counted is used after the loop, what counts is not.
    if (!recurrence || recurrence->getLoop() != &loop || !recurrence->isAffine() ||
        isLiveAfter(phi, loop) || isLiveAfter(*next, loop)) {
      single.accumulators.push_back(&phi);
      continue;
    }
    const SCEV *step = recurrence->getStepRecurrence(scev);
    if (!expander.isSafeToExpandAt(step, before)) {
      return false;
    }
    if (recurrence->hasNoSignedWrap()) {
      single.noWrap.insert(&phi);
    }
    single.inductions.push_back({&phi, expander.expandCodeFor(step, step->getType(), before)});
  }
  singles_.push_back(std::move(single));
  return true;
}

bool WorkItems::expandBounds() {
  auto &scev = analyses_.getResult<ScalarEvolutionAnalysis>(kernel_);
  SCEVExpander expander(scev, kernel_.getDataLayout(), "bound");
  Instruction *before = singles_.front().preheader->getTerminator();
  IRBuilder<> build(before);
  for (const unsigned index : nest_.order) {
    if (index == 0) {
      site_.bounds.push_back(
          build.CreateNSWSub(kernel_.getArg(kernel::Upper), kernel_.getArg(kernel::Lower)));
      continue;
    }
    const NestDimension &dimension = nest_.dimensions[index];
    const SCEV *bound =
        LaunchConditions::isClosed(dimension.trip) ? dimension.trip : dimension.extent;
    if (!expander.isSafeToExpandAt(bound, before)) {
      return false;
    }
    site_.bounds.push_back(expander.expandCodeFor(bound, build.getInt64Ty(), before));
  }
  return true;
}

/// An accumulator of the chunk's loop lives in memory between items.
void WorkItems::keepInSlot(PHINode &phi, const Single &chunk) {
  Value *next = phi.getIncomingValueForBlock(chunk.latch);
  IRBuilder<> build(&*kernel_.getEntryBlock().getFirstInsertionPt());
  AllocaInst *slot = build.CreateAlloca(phi.getType(), nullptr, "accumulator");
  slots_.push_back(slot);
  build.SetInsertPoint(chunk.preheader->getTerminator());
  build.CreateStore(phi.getIncomingValueForBlock(chunk.preheader), slot);
  build.SetInsertPoint(&*chunk.header->getFirstInsertionPt());
  Value *value = build.CreateLoad(phi.getType(), slot);
  build.SetInsertPoint(&*chunk.exit->getFirstInsertionPt());
  Value *last = build.CreateLoad(phi.getType(), slot);
  for (PHINode &after : make_early_inc_range(chunk.exit->phis())) {
    Value *left = after.getIncomingValueForBlock(chunk.latch);
    if (left == &phi || left == next) {
      after.replaceAllUsesWith(last);
      after.eraseFromParent();
    }
  }
  build.SetInsertPoint(chunk.latch->getTerminator());
  build.CreateStore(next == &phi ? value : next, slot);
  phi.replaceAllUsesWith(value);
  phi.eraseFromParent();
}

/// What `value` is after a loop of which no iteration is executed.
Value *WorkItems::withoutIterations(Value *value, const Single &single) {
  for (PHINode *phi : single.accumulators) {
    if (phi == value || phi->getIncomingValueForBlock(single.latch) == value) {
      return phi->getIncomingValueForBlock(single.preheader);
    }
  }
  return PoisonValue::get(value->getType()); // Nothing that has an effect uses it.
}

/// The value of a counter in the iteration with the dimension's number. Where it is extended, and
/// does not wrap around, it is computed in full width, so that addresses of neighbouring items can
/// be compared.
Value *WorkItems::inductionAt(PHINode &phi, Value *step, const Single &single) {
  auto *number = cast<Value>(numbers_[single.dimension]);
  Value *start = phi.getIncomingValueForBlock(single.preheader);
  IRBuilder<> build(&*single.header->getFirstInsertionPt());
  if (phi.getType()->isPointerTy()) {
    return build.CreatePtrAdd(
        start, build.CreateMul(build.CreateZExtOrTrunc(number, step->getType()), step));
  }
  for (User *user : phi.users()) {
    auto *extension = dyn_cast<CastInst>(user);
    const bool isSigned = extension && (isa<SExtInst>(extension) ||
                                        (isa<ZExtInst>(extension) && extension->hasNonNeg()));
    if (isSigned && single.noWrap.contains(&phi) && extension->getType()->isIntegerTy(64)) {
      Value *wide = build.CreateNSWMul(number, build.CreateSExt(step, number->getType()));
      // It stays for now: it may be where `build` inserts.
      extension->replaceAllUsesWith(
          build.CreateNSWAdd(build.CreateSExt(start, number->getType()), wide));
    }
  }
  Value *own = build.CreateZExtOrTrunc(number, phi.getType());
  return build.CreateAdd(start, build.CreateMul(own, step));
}

/// Executes one iteration: the one with the dimension's number.
void WorkItems::takeOne(Single &single) {
  const bool isChunk = &single == &singles_.front();
  SmallVector<std::pair<PHINode *, Value *>, 4> skipped;
  for (PHINode &after : single.exit->phis()) {
    skipped.push_back(
        {&after, withoutIterations(after.getIncomingValueForBlock(single.latch), single)});
  }
  SmallVector<Value *, 4> values;
  for (auto [phi, step] : single.inductions) {
    values.push_back(inductionAt(*phi, step, single));
  }
  for (auto [induction, value] : zip_equal(single.inductions, values)) {
    induction.first->replaceAllUsesWith(value);
    induction.first->eraseFromParent();
  }
  for (PHINode *phi : single.accumulators) {
    if (isChunk) {
      keepInSlot(*phi, single);
    } else {
      phi->replaceAllUsesWith(phi->getIncomingValueForBlock(single.preheader));
      phi->eraseFromParent();
    }
  }
  single.latch->getTerminator()->eraseFromParent();
  BranchInst::Create(single.exit, single.latch);
  if (single.trip) {
    for (auto [phi, value] : skipped) {
      phi->addIncoming(value, single.preheader);
    }
    IRBuilder<> build(single.preheader->getTerminator());
    Value *exists = build.CreateICmpSLT(numbers_[single.dimension], single.trip);
    build.CreateCondBr(exists, single.header, single.exit);
    single.preheader->getTerminator()->eraseFromParent();
  }
  if (!isChunk) {
    return;
  }
  for (PHINode &after : make_early_inc_range(single.exit->phis())) {
    // Nothing that has an effect uses it.
    after.replaceAllUsesWith(PoisonValue::get(after.getType()));
    after.eraseFromParent();
  }
}

/// Makes the body of the chunk's loop a function.
bool WorkItems::extractItem() {
  CodeExtractor extractor(body_, nullptr, false, nullptr, nullptr, nullptr, false,
                          /*AllowAlloca=*/true, nullptr, "item");
  if (!extractor.isEligible()) {
    return false;
  }
  const CodeExtractorAnalysisCache cache(kernel_);
  item_ = extractor.extractCodeRegion(cache);
  site_.call = item_ && item_->hasOneUse() ? dyn_cast<CallInst>(item_->user_back()) : nullptr;
  return site_.call && site_.call->getType()->isVoidTy();
}

void WorkItems::simplifyItem() {
  for (auto [index, argument] : enumerate(site_.call->args())) {
    const auto *number = find(numbers_, argument.get());
    if (number != numbers_.end()) {
      parameters_[number - numbers_.begin()] = index;
    } else if (is_contained(slots_, argument.get())) {
      item_->addParamAttr(index, Attribute::NoAlias);
    }
  }
  FunctionPassManager passes;
  passes.addPass(InstSimplifyPass());
  passes.addPass(EarlyCSEPass(true));
  passes.addPass(SimplifyCFGPass());
  passes.addPass(LoopSimplifyPass());
  passes.addPass(LCSSAPass());
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(100, 250, /*AllowSpeculation=*/true),
                                                 /*UseMemorySSA=*/true));
  passes.addPass(EarlyCSEPass(true));
  passes.addPass(InstSimplifyPass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(DSEPass());
  passes.addPass(DCEPass());
  passes.run(*item_, analyses_);
  for (const unsigned slot : slotParameters()) {
    storeChangesOnly(*item_->getArg(slot));
  }
  analyses_.clear(*item_, item_->getName());
}

/// The parameters of the item that point to accumulators.
SmallVector<unsigned, 2> WorkItems::slotParameters() const {
  SmallVector<unsigned, 2> result;
  for (auto [index, argument] : enumerate(site_.call->args())) {
    if (is_contained(slots_, argument.get())) {
      result.push_back(index);
    }
  }
  return result;
}

void WorkItems::chooseTile() {
  const bool hasPrivate = any_of(site_.call->args(), [this](const Use &argument) {
    return isa<AllocaInst>(argument.get()) && !is_contained(slots_, argument.get());
  });
  if (!hasPrivate && !is_contained(parameters_, kNone)) {
    tile_ = Tile(*item_, parameters_, slotParameters()).choose();
  }
}

bool WorkItems::prepare() {
  auto &loops = analyses_.getResult<LoopAnalysis>(kernel_);
  SmallVector<unsigned, 3> dimensionOf(nest_.order.size());
  for (auto [dimension, index] : enumerate(nest_.order)) {
    dimensionOf[index] = dimension;
  }
  for (auto [index, dimension] : enumerate(nest_.dimensions)) {
    for (Loop *loop : dimension.loops) {
      if (!analyse(*loop, dimensionOf[index], dimension.trip)) {
        return false;
      }
    }
  }
  const Loop &chunk = *loops.getLoopFor(singles_.front().header);
  body_.assign(chunk.block_begin(), chunk.block_end());
  if (!expandBounds()) {
    return false;
  }
  IRBuilder<> build(singles_.front().preheader->getTerminator());
  for (std::size_t d = 0; d < nest_.order.size(); ++d) {
    numbers_.push_back(
        cast<Instruction>(build.Insert(new FreezeInst(PoisonValue::get(build.getInt64Ty())))));
  }
  for (Single &single : singles_) {
    takeOne(single);
  }
  analyses_.invalidate(kernel_, PreservedAnalyses::none());
  if (!extractItem()) {
    return false;
  }
  simplifyItem();
  chooseTile();
  return true;
}

} // namespace tutti::compiler
