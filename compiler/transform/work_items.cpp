// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/work_items.h"

#include "compiler/ir/kernel.h"
#include "compiler/ir/kernel_calls.h"
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
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Work-items that access memory together.
constexpr unsigned kWarp = 32;

/// With larger tiles a work-item takes all registers that it can get; what it is allowed, so that
/// others hide its waiting for memory.
constexpr unsigned kRegisters = 128;

/// Not a parameter: the item does not depend on its number.
constexpr unsigned kNone = ~0U;

/// Numbers of a tile along a dimension are so far apart.
unsigned stepOf(unsigned dimension) { return dimension == 0 ? kWarp : 1; }

/// The first number of a tile of work-item `own`.
Value *firstOfTile(IRBuilderBase &build, unsigned dimension, unsigned count, Value *own) {
  if (count == 1) {
    return own;
  }
  if (dimension > 0) {
    return build.CreateNSWMul(own, build.getInt64(count));
  }
  Value *lane = build.CreateAnd(own, build.getInt64(kWarp - 1));
  Value *others = build.CreateSub(own, lane);
  return build.CreateNSWAdd(build.CreateNSWMul(others, build.getInt64(count)), lane);
}

/// Metadata of a loop that is not worth more code.
MDNode *neverUnrolled(LLVMContext &context) {
  MDNode *disable = MDNode::get(context, MDString::get(context, "llvm.loop.unroll.disable"));
  MDNode *loop = MDNode::getDistinct(context, {nullptr, disable});
  loop->replaceOperandWith(0, loop);
  return loop;
}

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

/// A tile that may reach beyond the bounds, which are its last parameters; null if there is none.
Function *WorkItems::limitedTile(ArrayRef<unsigned> steps) const {
  if (!Tile(*item_, parameters_, slotParameters()).mayRepeat()) {
    return nullptr;
  }
  SmallVector<Type *, 16> types(item_->getFunctionType()->params());
  SmallVector<unsigned, 3> limits;
  for (std::size_t d = 0; d < parameters_.size(); ++d) {
    limits.push_back(types.size());
    types.push_back(Type::getInt64Ty(item_->getContext()));
  }
  Function *border =
      Function::Create(FunctionType::get(item_->getReturnType(), types, /*isVarArg=*/false),
                       GlobalValue::InternalLinkage, "border", item_->getParent());
  ValueToValueMapTy map;
  for (Argument &argument : item_->args()) {
    map[&argument] = border->getArg(argument.getArgNo());
  }
  SmallVector<ReturnInst *, 2> returns;
  CloneFunctionInto(border, item_, map, CloneFunctionChangeType::LocalChangesOnly, returns);
  Tile(*border, parameters_, {}).widen(tile_, steps, limits);
  return border;
}

/// Puts loops over the work-item's own numbers in the place of the call: of items if `tile` is
/// null, else of tiles; at the borders of `border`, or of single items if that is null.
void WorkItems::callItems(const Site &site, Function *tile, Function *border) {
  BasicBlock *before = site.call->getParent();
  Function &kernel = *before->getParent();
  const unsigned dimensions = nest_.order.size();
  SmallVector<Value *, 16> arguments(site.call->args());
  BasicBlock *after = SplitBlock(before, site.call->getNextNode());
  site.call->eraseFromParent();
  before->getTerminator()->eraseFromParent();
  IRBuilder<> build(before);
  const auto block = [&](const Twine &name) {
    return BasicBlock::Create(kernel.getContext(), name, &kernel, after);
  };
  SmallVector<CallInst *, 2> created;
  const auto callOne = [&](Function *function, ArrayRef<Value *> numbers) {
    for (unsigned d = 0; d < dimensions; ++d) {
      if (parameters_[d] != kNone) {
        arguments[parameters_[d]] = numbers[d];
      }
    }
    SmallVector<Value *, 16> all(arguments);
    if (border && function == border) {
      append_range(all, site.bounds);
    }
    created.push_back(build.CreateCall(function, all));
  };

  const KernelCalls calls(*kernel.getParent());
  SmallVector<Value *, 3> numbers(dimensions);
  BasicBlock *leave = after;
  for (unsigned d = dimensions; d-- > 0;) {
    Value *first = build.CreateCall(calls.itemId(), build.getInt32(d));
    Value *count = build.CreateCall(calls.itemCount(), build.getInt32(d));
    BasicBlock *entering = build.GetInsertBlock();
    BasicBlock *header = block("items");
    BasicBlock *body = block("own");
    BasicBlock *latch = block("next");
    build.CreateBr(header);
    build.SetInsertPoint(header);
    PHINode *own = build.CreatePHI(build.getInt64Ty(), 2);
    numbers[d] = firstOfTile(build, d, tile ? tile_[d] : 1, own);
    build.CreateCondBr(build.CreateICmpSLT(numbers[d], site.bounds[d]), body, leave);
    build.SetInsertPoint(latch);
    Value *next = build.CreateAdd(own, count, "", /*HasNUW=*/true, /*HasNSW=*/true);
    build.CreateBr(header);
    own->addIncoming(first, entering);
    own->addIncoming(next, latch);
    build.SetInsertPoint(body);
    leave = latch;
  }
  // One item of the tile after the other, if they exist.
  const auto takeEach = [&] {
    BasicBlock *entering = build.GetInsertBlock();
    BasicBlock *each = block("each");
    BasicBlock *single = block("single");
    BasicBlock *done = block("done");
    build.CreateBr(each);
    build.SetInsertPoint(each);
    PHINode *index = build.CreatePHI(build.getInt64Ty(), 2);
    SmallVector<Value *, 3> at;
    Value *isInside = build.getTrue();
    Value *rest = index;
    for (unsigned d = 0; d < dimensions; ++d) {
      Value *along = build.CreateAnd(rest, build.getInt64(tile_[d] - 1));
      rest = build.CreateLShr(rest, build.getInt64(Log2_32(tile_[d])));
      Value *distance = build.CreateNSWMul(along, build.getInt64(stepOf(d)));
      at.push_back(build.CreateNSWAdd(numbers[d], distance));
      isInside = build.CreateAnd(isInside, build.CreateICmpSLT(at[d], site.bounds[d]));
    }
    build.CreateCondBr(isInside, single, done);
    build.SetInsertPoint(single);
    callOne(item_, at);
    build.CreateBr(done);
    build.SetInsertPoint(done);
    Value *next = build.CreateAdd(index, build.getInt64(1), "", /*HasNUW=*/true, /*HasNSW=*/true);
    Value *isMore = build.CreateICmpULT(next, build.getInt64(sizeOfTile(tile_)));
    BranchInst *again = build.CreateCondBr(isMore, each, leave);
    again->setMetadata(LLVMContext::MD_loop, neverUnrolled(kernel.getContext()));
    index->addIncoming(build.getInt64(0), entering);
    index->addIncoming(next, done);
  };
  if (!tile) {
    callOne(item_, numbers);
    build.CreateBr(leave);
  } else {
    Value *isFull = build.getTrue();
    for (unsigned d = 0; d < dimensions; ++d) {
      Value *last = build.CreateNSWAdd(numbers[d], build.getInt64((tile_[d] - 1) * stepOf(d)));
      isFull = build.CreateAnd(isFull, build.CreateICmpSLT(last, site.bounds[d]));
    }
    BasicBlock *full = block("tile");
    BasicBlock *rest = block("border");
    build.CreateCondBr(isFull, full, rest);
    build.SetInsertPoint(full);
    callOne(tile, numbers);
    build.CreateBr(leave);
    build.SetInsertPoint(rest);
    if (border) {
      callOne(border, numbers);
      build.CreateBr(leave);
    } else {
      takeEach();
    }
  }
  for (CallInst *call : created) {
    InlineFunctionInfo info;
    InlineFunction(*call, info);
  }
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  analyses_.invalidate(kernel, PreservedAnalyses::none());
  passes.run(kernel, analyses_);
  analyses_.invalidate(kernel, PreservedAnalyses::none());
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

Function *WorkItems::createTiled(const Twine &name) {
  ValueToValueMapTy ofItem;
  Function *tile = CloneFunction(item_, ofItem);
  SmallVector<unsigned, 3> steps;
  for (unsigned d = 0; d < nest_.order.size(); ++d) {
    steps.push_back(stepOf(d));
  }
  Tile(*tile, parameters_, slotParameters()).widen(tile_, steps);
  ValueToValueMapTy map;
  Function *kernel = CloneFunction(&kernel_, map);
  kernel->setName(name);
  if (sizeOfTile(tile_) > kSmallTile) {
    kernel->addFnAttr(kernel::kRegisters, std::to_string(kRegisters));
  }
  Site site{cast<CallInst>(&*map.lookup(site_.call)), {}};
  for (Value *bound : site_.bounds) {
    const auto found = map.find(bound);
    site.bounds.push_back(found == map.end() ? bound : &*found->second);
  }
  Function *border = limitedTile(steps);
  callItems(site, tile, border);
  tile->eraseFromParent();
  if (border) {
    border->eraseFromParent();
  }
  return kernel;
}

void WorkItems::divide() { callItems(site_, nullptr, nullptr); }

} // namespace tutti::compiler
