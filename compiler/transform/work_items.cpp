// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/work_items.h"

#include "compiler/ir/kernel.h"
#include "compiler/ir/kernel_calls.h"
#include "compiler/transform/tile.h"

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <functional>
#include <numeric>

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Work-items that access memory together.
constexpr unsigned kWarp = 32;

/// Numbers of a tile along a dimension are so far apart.
unsigned stepOf(unsigned dimension) { return dimension == 0 ? kWarp : 1; }

bool isLiveAfter(const Value &value, const Loop &loop) {
  return any_of(value.users(),
                [&](const User *user) { return !loop.contains(cast<Instruction>(user)); });
}

} // namespace

WorkItems::WorkItems(Function &kernel, const ParallelNest &nest, FunctionAnalysisManager &analyses)
    : kernel_(kernel), nest_(nest), analyses_(analyses), tile_(nest.order.size(), 1) {}

bool WorkItems::analyse(Loop &loop, unsigned dimension, const SCEV *trip) {
  auto &scev = analyses_.getResult<ScalarEvolutionAnalysis>(kernel_);
  Single single{loop.getLoopPreheader(),
                loop.getHeader(),
                loop.getLoopLatch(),
                loop.getUniqueExitBlock(),
                dimension,
                nullptr,
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
    const NestDimension &dimension = nest_.dimensions[index];
    const SCEV *bound =
        LaunchConditions::isClosed(dimension.trip) ? dimension.trip : dimension.extent;
    if (index == 0) {
      bounds_.push_back(
          build.CreateNSWSub(kernel_.getArg(kernel::Upper), kernel_.getArg(kernel::Lower)));
    } else if (expander.isSafeToExpandAt(bound, before)) {
      bounds_.push_back(expander.expandCodeFor(bound, build.getInt64Ty(), before));
    } else {
      return false;
    }
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

/// Executes one iteration: the one with the dimension's number.
void WorkItems::takeOne(Single &single) {
  const bool isChunk = &single == &singles_.front();
  SmallVector<std::pair<PHINode *, Value *>, 4> skipped;
  for (PHINode &after : single.exit->phis()) {
    skipped.push_back(
        {&after, withoutIterations(after.getIncomingValueForBlock(single.latch), single)});
  }
  SmallVector<Value *, 4> values;
  IRBuilder<> build(&*single.header->getFirstInsertionPt());
  for (auto [phi, step] : single.inductions) {
    Value *start = phi->getIncomingValueForBlock(single.preheader);
    Value *number = build.CreateZExtOrTrunc(numbers_[single.dimension], step->getType());
    Value *distance = build.CreateMul(number, step);
    values.push_back(phi->getType()->isPointerTy() ? build.CreatePtrAdd(start, distance)
                                                   : build.CreateAdd(start, distance));
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
    build.SetInsertPoint(single.preheader->getTerminator());
    Value *exists = build.CreateICmpSLT(numbers_[single.dimension], single.trip);
    build.CreateCondBr(exists, single.header, single.exit);
    single.preheader->getTerminator()->eraseFromParent();
  }
  for (PHINode &after : make_early_inc_range(single.exit->phis())) {
    if (isChunk) { // Nothing that has an effect uses it.
      after.replaceAllUsesWith(PoisonValue::get(after.getType()));
      after.eraseFromParent();
    }
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
  Function *item = extractor.extractCodeRegion(cache);
  call_ = item && item->hasOneUse() ? dyn_cast<CallInst>(item->user_back()) : nullptr;
  return call_ && call_->getType()->isVoidTy();
}

void WorkItems::simplifyItem() {
  Function &item = *call_->getCalledFunction();
  for (auto [index, argument] : enumerate(call_->args())) {
    if (is_contained(slots_, argument.get())) {
      item.addParamAttr(index, Attribute::NoAlias);
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
  passes.addPass(DCEPass());
  passes.run(item, analyses_);
  analyses_.clear(item, item.getName());
}

/// The first number that belongs to work-item `own` of a tiled dimension.
Value *WorkItems::numberOf(IRBuilderBase &build, unsigned dimension, Value *own) const {
  const unsigned count = tile_[dimension];
  if (dimension > 0) {
    return build.CreateNSWMul(own, build.getInt64(count));
  }
  Value *lane = build.CreateAnd(own, build.getInt64(kWarp - 1));
  return build.CreateNSWAdd(build.CreateNSWMul(build.CreateSub(own, lane), build.getInt64(count)),
                            lane);
}

/// Puts loops over the work-item's own numbers in the place of the call.
void WorkItems::callItems() {
  Function *item = call_->getCalledFunction();
  LLVMContext &context = kernel_.getContext();
  const unsigned dimensions = nest_.order.size();
  SmallVector<unsigned, 3> parameters(dimensions, ~0U);
  SmallVector<unsigned, 2> slots;
  bool hasPrivate = false;
  SmallVector<Value *, 16> arguments(call_->args());
  for (auto [index, argument] : enumerate(arguments)) {
    const auto *number = find(numbers_, argument);
    if (number != numbers_.end()) {
      parameters[number - numbers_.begin()] = index;
    } else if (is_contained(slots_, argument)) {
      slots.push_back(index);
    } else {
      hasPrivate = hasPrivate || isa<AllocaInst>(argument);
    }
  }
  Function *tile = nullptr;
  if (!hasPrivate && !is_contained(parameters, ~0U)) {
    tile_ = Tile(*item, parameters, slots).choose();
  }
  const unsigned size = std::accumulate(tile_.begin(), tile_.end(), 1U, std::multiplies<>());
  if (size > 1) {
    ValueToValueMapTy map;
    tile = CloneFunction(item, map);
    SmallVector<unsigned, 3> steps;
    for (unsigned d = 0; d < dimensions; ++d) {
      steps.push_back(stepOf(d));
    }
    Tile(*tile, parameters, slots).widen(tile_, steps);
  }

  BasicBlock *before = call_->getParent();
  BasicBlock *after = SplitBlock(before, call_->getNextNode());
  call_->eraseFromParent();
  before->getTerminator()->eraseFromParent();
  const KernelCalls calls(*kernel_.getParent());
  IRBuilder<> build(before);
  SmallVector<Value *, 3> first;
  SmallVector<Value *, 3> count;
  Value *isTiled = build.getFalse();
  for (unsigned d = 0; d < dimensions; ++d) {
    first.push_back(build.CreateCall(calls.itemId(), build.getInt32(d)));
    count.push_back(build.CreateCall(calls.itemCount(), build.getInt32(d)));
    if (tile_[d] > 1) {
      isTiled = build.CreateOr(isTiled, build.CreateICmpSLT(count[d], bounds_[d]));
    }
  }
  const auto block = [&](const Twine &name) {
    return BasicBlock::Create(context, name, &kernel_, after);
  };
  SmallVector<CallInst *, 2> created;
  const auto callOne = [&](Function *function, ArrayRef<Value *> numbers) {
    for (unsigned d = 0; d < dimensions; ++d) {
      if (parameters[d] != ~0U) {
        arguments[parameters[d]] = numbers[d];
      }
    }
    created.push_back(build.CreateCall(function, arguments));
  };

  // Loops over the work-item's own numbers, the fastest inside; builds up to the innermost body.
  SmallVector<Value *, 3> numbers(dimensions);
  BasicBlock *leave = after;
  for (unsigned d = dimensions; d-- > 0;) {
    BasicBlock *entering = build.GetInsertBlock();
    BasicBlock *header = block("items");
    BasicBlock *body = block("own");
    BasicBlock *latch = block("next");
    build.CreateBr(header);
    build.SetInsertPoint(header);
    PHINode *own = build.CreatePHI(build.getInt64Ty(), 2);
    numbers[d] = tile_[d] > 1 ? build.CreateSelect(isTiled, numberOf(build, d, own), own) : own;
    build.CreateCondBr(build.CreateICmpSLT(numbers[d], bounds_[d]), body, leave);
    build.SetInsertPoint(latch);
    Value *next = build.CreateAdd(own, count[d], "", /*HasNUW=*/true, /*HasNSW=*/true);
    build.CreateBr(header);
    own->addIncoming(first[d], entering);
    own->addIncoming(next, latch);
    build.SetInsertPoint(body);
    leave = latch;
  }
  if (!tile) {
    callOne(item, numbers);
    build.CreateBr(leave);
  } else {
    Value *isFull = isTiled;
    for (unsigned d = 0; d < dimensions; ++d) {
      Value *last = build.CreateNSWAdd(numbers[d], build.getInt64((tile_[d] - 1) * stepOf(d)));
      isFull = build.CreateAnd(isFull, build.CreateICmpSLT(last, bounds_[d]));
    }
    BasicBlock *full = block("tile");
    BasicBlock *each = block("each");
    BasicBlock *check = block("check");
    BasicBlock *single = block("single");
    BasicBlock *done = block("done");
    BasicBlock *entering = build.GetInsertBlock();
    build.CreateCondBr(isFull, full, each);
    build.SetInsertPoint(full);
    callOne(tile, numbers);
    build.CreateBr(leave);

    // At the border, and where the grid is large enough without tiles.
    build.SetInsertPoint(each);
    PHINode *index = build.CreatePHI(build.getInt64Ty(), 2);
    Value *most = build.CreateSelect(isTiled, build.getInt64(size), build.getInt64(1));
    build.CreateCondBr(build.CreateICmpULT(index, most), check, leave);
    build.SetInsertPoint(check);
    SmallVector<Value *, 3> at;
    Value *isInside = build.getTrue();
    Value *rest = index;
    for (unsigned d = 0; d < dimensions; ++d) {
      Value *along = build.CreateAnd(rest, build.getInt64(tile_[d] - 1));
      rest = build.CreateLShr(rest, build.getInt64(Log2_32(tile_[d])));
      at.push_back(
          build.CreateNSWAdd(numbers[d], build.CreateNSWMul(along, build.getInt64(stepOf(d)))));
      isInside = build.CreateAnd(isInside, build.CreateICmpSLT(at[d], bounds_[d]));
    }
    build.CreateCondBr(isInside, single, done);
    build.SetInsertPoint(single);
    callOne(item, at);
    build.CreateBr(done);
    build.SetInsertPoint(done);
    Value *next = build.CreateAdd(index, build.getInt64(1), "", /*HasNUW=*/true, /*HasNSW=*/true);
    build.CreateBr(each);
    index->addIncoming(build.getInt64(0), entering);
    index->addIncoming(next, done);
  }
  for (CallInst *call : created) {
    InlineFunctionInfo info;
    InlineFunction(*call, info);
  }
  item->eraseFromParent();
  if (tile) {
    tile->eraseFromParent();
  }
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  analyses_.invalidate(kernel_, PreservedAnalyses::none());
  passes.run(kernel_, analyses_);
  analyses_.invalidate(kernel_, PreservedAnalyses::none());
}

bool WorkItems::divide() {
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
  callItems();
  return true;
}

} // namespace tutti::compiler
