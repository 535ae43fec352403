// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Kernels whose work-items execute items or tiles: what calls them.
#include "compiler/ir/kernel.h"
#include "compiler/ir/kernel_calls.h"
#include "compiler/transform/staged_tile.h"
#include "compiler/transform/tile.h"
#include "compiler/transform/work_items.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Work-items that access memory together.
constexpr unsigned kWarp = 32;

/// With larger tiles a work-item takes all registers that it can get; what it is allowed, so that
/// others hide its waiting for memory.
constexpr unsigned kRegisters = 128;

/// Of tiles whose group stages what it loads: they need fewer registers, and there are more of
/// them.
constexpr std::array<unsigned, 2> kStagedTile{4, 4};

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

} // namespace

/// A copy of the item with one more number for each dimension, whose parameters are `added`.
Function *WorkItems::extendedItem(const Twine &name, SmallVectorImpl<unsigned> &added) const {
  SmallVector<Type *, 16> types(item_->getFunctionType()->params());
  for (std::size_t d = 0; d < parameters_.size(); ++d) {
    added.push_back(types.size());
    types.push_back(Type::getInt64Ty(item_->getContext()));
  }
  Function *copy =
      Function::Create(FunctionType::get(item_->getReturnType(), types, /*isVarArg=*/false),
                       GlobalValue::InternalLinkage, name, item_->getParent());
  ValueToValueMapTy map;
  for (Argument &argument : item_->args()) {
    map[&argument] = copy->getArg(argument.getArgNo());
  }
  SmallVector<ReturnInst *, 2> returns;
  CloneFunctionInto(copy, item_, map, CloneFunctionChangeType::LocalChangesOnly, returns);
  return copy;
}

SmallVector<unsigned, 3> WorkItems::steps() const {
  SmallVector<unsigned, 3> steps;
  for (unsigned d = 0; d < nest_.order.size(); ++d) {
    steps.push_back(stepOf(d));
  }
  return steps;
}

/// A tile that may reach beyond the bounds, which are its last parameters; null if there is none.
Function *WorkItems::limitedTile(ArrayRef<unsigned> counts) const {
  if (!Tile(*item_, parameters_, slotParameters()).mayRepeat()) {
    return nullptr;
  }
  SmallVector<unsigned, 3> limits;
  Function *border = extendedItem("border", limits);
  Tile(*border, parameters_, {}).widen(counts, steps(), limits);
  return border;
}

/// A tile whose group stages what it loads; null if there is none. Its last parameters are, by
/// dimension, what leads from its number to its place in the group's tile.
Function *WorkItems::makeStagedTile(ArrayRef<unsigned> counts) const {
  SmallVector<unsigned, 3> shifts;
  Function *staged = extendedItem("staged", shifts);
  if (!stageTile(*staged, parameters_, shifts, counts, analyses_)) {
    staged->eraseFromParent();
    return nullptr;
  }
  Tile(*staged, parameters_, {}).widen(counts, steps());
  return staged;
}

/// Writes the loops over a work-item's own numbers, and what they execute.
class WorkItems::Caller {
public:
  Caller(WorkItems &items, const Site &site, const Tiles &tiles)
      : items_(items), site_(site), tiles_(tiles), dimensions_(items.nest_.order.size()),
        before_(site.call->getParent()), kernel_(*before_->getParent()),
        calls_(*kernel_.getParent()), arguments_(site.call->args()), build_(before_) {}

  void write() {
    after_ = SplitBlock(before_, site_.call->getNextNode());
    site_.call->eraseFromParent();
    before_->getTerminator()->eraseFromParent();
    build_.SetInsertPoint(before_);
    loopOverNumbers();
    if (!tiles_.full) {
      call(items_.item_, numbers_);
      build_.CreateBr(leave_);
    } else {
      chooseTile();
    }
    for (CallInst *call : created_) {
      InlineFunctionInfo info;
      InlineFunction(*call, info);
    }
  }

private:
  BasicBlock *block(const Twine &name) {
    return BasicBlock::Create(kernel_.getContext(), name, &kernel_, after_);
  }

  void call(Function *function, ArrayRef<Value *> numbers, ArrayRef<Value *> more = {});
  SmallVector<Value *, 3> ownNumbers();
  void loopOverNumbers();
  void chooseTile();
  void callStaged(BasicBlock *together, BasicBlock *otherwise);
  void takeEach();

  WorkItems &items_;
  const Site &site_;
  const Tiles &tiles_;
  unsigned dimensions_;
  BasicBlock *before_;
  Function &kernel_;
  const KernelCalls calls_;
  SmallVector<Value *, 16> arguments_;
  IRBuilder<> build_;
  BasicBlock *after_ = nullptr;
  BasicBlock *leave_ = nullptr;     ///< Where the next numbers are taken.
  SmallVector<Value *, 3> own_;     ///< Which of all work-items' turns it is, by dimension,
  SmallVector<Value *, 3> numbers_; ///< and the first number of the item or tile.
  SmallVector<CallInst *, 2> created_;
};

void WorkItems::Caller::call(Function *function, ArrayRef<Value *> numbers,
                             ArrayRef<Value *> more) {
  for (unsigned d = 0; d < dimensions_; ++d) {
    if (items_.parameters_[d] != WorkItems::kNone) {
      arguments_[items_.parameters_[d]] = numbers[d];
    }
  }
  SmallVector<Value *, 16> all(arguments_);
  append_range(all, more);
  created_.push_back(build_.CreateCall(function, all));
}

void WorkItems::Caller::loopOverNumbers() {
  own_.resize(dimensions_);
  numbers_.resize(dimensions_);
  leave_ = after_;
  for (unsigned d = dimensions_; d-- > 0;) {
    Value *first = build_.CreateCall(calls_.itemId(), build_.getInt32(d));
    Value *count = build_.CreateCall(calls_.itemCount(), build_.getInt32(d));
    BasicBlock *entering = build_.GetInsertBlock();
    BasicBlock *header = block("items");
    BasicBlock *body = block("own");
    BasicBlock *latch = block("next");
    build_.CreateBr(header);
    build_.SetInsertPoint(header);
    PHINode *own = build_.CreatePHI(build_.getInt64Ty(), 2);
    own_[d] = own;
    numbers_[d] = firstOfTile(build_, d, tiles_.full ? tiles_.counts[d] : 1, own);
    build_.CreateCondBr(build_.CreateICmpSLT(numbers_[d], site_.bounds[d]), body, leave_);
    build_.SetInsertPoint(latch);
    Value *next = build_.CreateAdd(own, count, "", /*HasNUW=*/true, /*HasNSW=*/true);
    build_.CreateBr(header);
    own->addIncoming(first, entering);
    own->addIncoming(next, latch);
    build_.SetInsertPoint(body);
    leave_ = latch;
  }
}

/// A large tile needs its registers: no address is kept from one tile to the next.
SmallVector<Value *, 3> WorkItems::Caller::ownNumbers() {
  SmallVector<Value *, 3> own(numbers_);
  if (sizeOfTile(tiles_.counts) > kSmallTile) {
    for (Value *&number : own) {
      number = build_.CreateCall(calls_.opaque(), {number});
    }
  }
  return own;
}

/// Groups whose whole tile exists stage; they have the shape for it, unless somebody chose another.
void WorkItems::Caller::callStaged(BasicBlock *together, BasicBlock *otherwise) {
  const std::array<Value *, 2> local = positionInGroup(build_, calls_);
  Value *isWhole = build_.getTrue();
  SmallVector<Value *, 3> firsts;
  for (unsigned d = 0; d < dimensions_; ++d) {
    Value *extent = build_.CreateCall(calls_.localExtent(), build_.getInt32(d));
    isWhole =
        build_.CreateAnd(isWhole, build_.CreateICmpEQ(extent, build_.getInt32(kTileGroup[d])));
    const unsigned count = tiles_.counts[d];
    firsts.push_back(
        build_.CreateNSWMul(build_.CreateNSWSub(own_[d], local[d]), build_.getInt64(count)));
    Value *end = build_.CreateNSWAdd(firsts[d], build_.getInt64(kTileGroup[d] * count));
    isWhole = build_.CreateAnd(isWhole, build_.CreateICmpSLE(end, site_.bounds[d]));
  }
  build_.CreateCondBr(isWhole, together, otherwise);
  build_.SetInsertPoint(together);
  SmallVector<Value *, 3> own = ownNumbers();
  // Where an item is within its group is one value: else each address in local memory is a sum of
  // all that the group's number is computed from, which the backend takes apart.
  SmallVector<Value *, 3> shifts;
  for (unsigned d = 0; d < dimensions_; ++d) {
    Value *place = build_.CreateCall(calls_.opaque(), {build_.CreateNSWSub(own[d], firsts[d])});
    shifts.push_back(build_.CreateNSWSub(place, own[d]));
  }
  call(tiles_.full, own, shifts);
  build_.CreateBr(leave_);
}

void WorkItems::Caller::chooseTile() {
  BasicBlock *full = block("tile");
  BasicBlock *rest = block("border");
  if (tiles_.isStaged) {
    callStaged(full, rest);
  } else {
    Value *isFull = build_.getTrue();
    for (unsigned d = 0; d < dimensions_; ++d) {
      Value *last =
          build_.CreateNSWAdd(numbers_[d], build_.getInt64((tiles_.counts[d] - 1) * stepOf(d)));
      isFull = build_.CreateAnd(isFull, build_.CreateICmpSLT(last, site_.bounds[d]));
    }
    build_.CreateCondBr(isFull, full, rest);
    build_.SetInsertPoint(full);
    call(tiles_.full, ownNumbers());
    build_.CreateBr(leave_);
  }
  build_.SetInsertPoint(rest);
  if (tiles_.border) {
    call(tiles_.border, ownNumbers(), site_.bounds);
    build_.CreateBr(leave_);
  } else {
    takeEach();
  }
}

/// One item of the tile after the other, if they exist.
void WorkItems::Caller::takeEach() {
  BasicBlock *entering = build_.GetInsertBlock();
  BasicBlock *each = block("each");
  BasicBlock *single = block("single");
  BasicBlock *done = block("done");
  build_.CreateBr(each);
  build_.SetInsertPoint(each);
  PHINode *index = build_.CreatePHI(build_.getInt64Ty(), 2);
  SmallVector<Value *, 3> at;
  Value *isInside = build_.getTrue();
  Value *rest = index;
  for (unsigned d = 0; d < dimensions_; ++d) {
    Value *along = build_.CreateAnd(rest, build_.getInt64(tiles_.counts[d] - 1));
    rest = build_.CreateLShr(rest, build_.getInt64(Log2_32(tiles_.counts[d])));
    Value *distance = build_.CreateNSWMul(along, build_.getInt64(stepOf(d)));
    at.push_back(build_.CreateNSWAdd(numbers_[d], distance));
    isInside = build_.CreateAnd(isInside, build_.CreateICmpSLT(at[d], site_.bounds[d]));
  }
  build_.CreateCondBr(isInside, single, done);
  build_.SetInsertPoint(single);
  call(items_.item_, at);
  build_.CreateBr(done);
  build_.SetInsertPoint(done);
  Value *next = build_.CreateAdd(index, build_.getInt64(1), "", /*HasNUW=*/true, /*HasNSW=*/true);
  Value *isMore = build_.CreateICmpULT(next, build_.getInt64(sizeOfTile(tiles_.counts)));
  BranchInst *again = build_.CreateCondBr(isMore, each, leave_);
  again->setMetadata(LLVMContext::MD_loop, neverUnrolled(kernel_.getContext()));
  index->addIncoming(build_.getInt64(0), entering);
  index->addIncoming(next, done);
}

/// Puts loops over the work-item's own numbers in the place of the call: of items, or of tiles
/// where there are any.
void WorkItems::callItems(const Site &site, const Tiles &tiles) {
  Function &kernel = *site.call->getFunction();
  Caller(*this, site, tiles).write();
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  analyses_.invalidate(kernel, PreservedAnalyses::none());
  passes.run(kernel, analyses_);
  analyses_.invalidate(kernel, PreservedAnalyses::none());
}

/// A copy of the kernel that executes tiles.
Function *WorkItems::createKernel(const Twine &name, const Tiles &tiles) {
  ValueToValueMapTy map;
  Function *kernel = CloneFunction(&kernel_, map);
  kernel->setName(name);
  if (sizeOfTile(tiles.counts) > kSmallTile) {
    kernel->addFnAttr(kernel::kRegisters, std::to_string(kRegisters));
  }
  Site site{cast<CallInst>(&*map.lookup(site_.call)), {}};
  for (Value *bound : site_.bounds) {
    const auto found = map.find(bound);
    site.bounds.push_back(found == map.end() ? bound : &*found->second);
  }
  callItems(site, tiles);
  tiles.full->eraseFromParent();
  if (tiles.border) {
    tiles.border->eraseFromParent();
  }
  return kernel;
}

Function *WorkItems::createTiled(const Twine &name) {
  ValueToValueMapTy ofItem;
  Function *tile = CloneFunction(item_, ofItem);
  Tile(*tile, parameters_, slotParameters()).widen(tile_, steps());
  return createKernel(name, {tile, limitedTile(tile_), tile_, false});
}

ArrayRef<unsigned> WorkItems::stagedTile() { return kStagedTile; }

Function *WorkItems::createStaged(const Twine &name) {
  if (sizeOfTile(tile_) <= kSmallTile || tile_.size() != 2 || !slots_.empty()) {
    return nullptr;
  }
  Function *staged = makeStagedTile(kStagedTile);
  return staged ? createKernel(name, {staged, limitedTile(kStagedTile), kStagedTile, true})
                : nullptr;
}

void WorkItems::divide() { callItems(site_, {nullptr, nullptr, {}, false}); }

} // namespace tutti::compiler
