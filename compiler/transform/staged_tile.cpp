// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/staged_tile.h"

#include "compiler/analysis/shared_loads.h"
#include "compiler/transform/blocked_loop.h"
#include "compiler/transform/item_dependences.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

// Measured on H200 (bench/results/products-2026-11-23.md).
constexpr unsigned kDepth = 32; ///< Iterations of a block.
constexpr unsigned kUnrolled = 4;
constexpr std::uint64_t kMostBytes = 48 * 1024; ///< What a group has on every device.

/// Loads of the same elements, which the items of one row or column of a tile share.
struct Shared {
  const SCEV *start = nullptr; ///< The address in the first iteration,
  const SCEV *step = nullptr;  ///< and how far the next one's is behind it.
  unsigned dimension = 0;      ///< Of the items' number that it depends on.
  std::uint64_t bytes = 0;     ///< Of an element.
  std::uint64_t offset = 0;    ///< In local memory; there elements of an iteration lie together,
  std::uint64_t length = 0;    ///< so many for each.
  SmallVector<LoadInst *, 2> loads;
  Value *first = nullptr;    ///< `start` as a value,
  Value *distance = nullptr; ///< and `step`.
  Value *slot = nullptr;     ///< Which of an iteration's elements is the item's.
};

class Stager {
public:
  Stager(Function &item, ArrayRef<unsigned> numbers, ArrayRef<unsigned> shifts,
         ArrayRef<unsigned> tile, FunctionAnalysisManager &analyses)
      : item_(item), numbers_(numbers), shifts_(shifts), tile_(tile), analyses_(analyses) {
    SmallVector<ItemDependences::Origin, 3> origins;
    for (auto [dimension, number] : enumerate(numbers)) {
      origins.push_back({item.getArg(number), static_cast<unsigned>(dimension)});
    }
    dependences_ = ItemDependences(item, origins);
  }

  bool find();
  void write();

private:
  ItemDependences::Dimensions of(const SCEV &expression) const;
  bool add(LoadInst &load);
  bool layOut();
  Value *place(IRBuilderBase &build, const Shared &shared, Value *iteration) const;
  BasicBlock *fill(BasicBlock *block, Value *done);

  Function &item_;
  ArrayRef<unsigned> numbers_;
  ArrayRef<unsigned> shifts_;
  ArrayRef<unsigned> tile_;
  FunctionAnalysisManager &analyses_;
  ItemDependences dependences_;
  Loop *loop_ = nullptr;
  SmallVector<Shared, 4> shared_;
  std::uint64_t bytes_ = 0;
  Value *array_ = nullptr;         ///< In local memory.
  std::array<Value *, 2> local_{}; ///< The work-item's position in its group.
};

ItemDependences::Dimensions Stager::of(const SCEV &expression) const {
  ItemDependences::Dimensions all = 0;
  SCEVExprContains(&expression, [&](const SCEV *part) {
    if (const auto *unknown = dyn_cast<SCEVUnknown>(part)) {
      all |= dependences_.of(unknown->getValue());
    }
    return false;
  });
  return all;
}

/// Returns false if the load keeps the loop from being staged.
bool Stager::add(LoadInst &load) {
  auto &scev = analyses_.getResult<ScalarEvolutionAnalysis>(item_);
  Type *type = load.getType();
  const bool isNumber =
      type->isFloatTy() || type->isDoubleTy() || type->isIntegerTy(32) || type->isIntegerTy(64);
  const auto *address = dyn_cast<SCEVAddRecExpr>(scev.getSCEV(load.getPointerOperand()));
  if (!isNumber || !load.isSimple() || !address || address->getLoop() != loop_ ||
      !address->isAffine() || of(*address->getOperand(1)) != 0) {
    return false;
  }
  const ItemDependences::Dimensions on = of(*address->getStart());
  if (on != 1 && on != 2) {
    return on == 0; // All items of the group load the same.
  }
  SCEVExpander expander(scev, item_.getDataLayout(), "stage");
  const Instruction *before = loop_->getLoopPreheader()->getTerminator();
  if (!expander.isSafeToExpandAt(address->getStart(), before) ||
      !expander.isSafeToExpandAt(address->getOperand(1), before)) {
    return false;
  }
  auto *known = find_if(shared_, [&](const Shared &one) {
    return one.start == address->getStart() && one.step == address->getOperand(1) &&
           one.loads.front()->getType() == type;
  });
  if (known == shared_.end()) {
    Shared one;
    one.start = address->getStart();
    one.step = address->getOperand(1);
    one.dimension = on - 1;
    one.bytes = item_.getDataLayout().getTypeStoreSize(type);
    shared_.push_back(std::move(one));
    known = &shared_.back();
  }
  known->loads.push_back(&load);
  return true;
}

/// Whether it fits into local memory.
bool Stager::layOut() {
  for (Shared &shared : shared_) {
    // Items of a row store what lies `length` apart: one more, so that the banks differ.
    const unsigned padding = shared.dimension == 1 ? 1 : 0;
    shared.length = std::uint64_t{kTileGroup[shared.dimension]} * tile_[shared.dimension] + padding;
    shared.offset = alignTo(bytes_, SharedLoads::kAlignment);
    bytes_ = shared.offset + kDepth * shared.length * shared.bytes;
  }
  return bytes_ <= kMostBytes;
}

bool Stager::find() {
  const auto &loops = analyses_.getResult<LoopAnalysis>(item_);
  auto &scev = analyses_.getResult<ScalarEvolutionAnalysis>(item_);
  const auto all = loops.getLoopsInPreorder();
  if (all.size() != 1 || !canBeBlocked(*all.front()) || all.front()->getNumBlocks() != 1) {
    return false;
  }
  loop_ = all.front();
  const SCEV *count = scev.getBackedgeTakenCount(loop_);
  SCEVExpander expander(scev, item_.getDataLayout(), "stage");
  if (isa<SCEVCouldNotCompute>(count) || of(*count) != 0 ||
      scev.getTypeSizeInBits(count->getType()) > 64 ||
      !expander.isSafeToExpandAt(count, loop_->getLoopPreheader()->getTerminator())) {
    return false;
  }
  for (Instruction &inst : *loop_->getHeader()) {
    auto *load = dyn_cast<LoadInst>(&inst);
    if (load ? !add(*load) : inst.mayReadOrWriteMemory()) {
      return false;
    }
  }
  const auto isShared = [&](unsigned dimension) {
    return any_of(shared_, [&](const Shared &one) { return one.dimension == dimension; });
  };
  return isShared(0) && isShared(1) && layOut();
}

/// Where the item's element of an iteration of the block is in local memory.
Value *Stager::place(IRBuilderBase &build, const Shared &shared, Value *iteration) const {
  Value *index =
      build.CreateAdd(build.CreateNUWMul(iteration, build.getInt64(shared.length)), shared.slot);
  Value *bytes = build.CreateNUWMul(index, build.getInt64(shared.bytes));
  return build.CreatePtrAdd(array_, build.CreateAdd(bytes, build.getInt64(shared.offset)));
}

/// A block's elements move to local memory: of those that items of a column share, each of them
/// loads some iterations.
BasicBlock *Stager::fill(BasicBlock *block, Value *done) {
  const KernelCalls calls(*item_.getParent());
  IRBuilder<> build(block);
  SmallVector<std::pair<LoadInst *, Value *>, 16> loaded;
  for (const Shared &shared : shared_) {
    const unsigned sharers = 1 - shared.dimension;
    for (unsigned before = 0; before < kDepth; before += kTileGroup[sharers]) {
      Value *own = build.CreateAdd(local_[sharers], build.getInt64(before));
      Value *iteration = build.CreateAdd(done, own);
      auto *load = cast<LoadInst>(shared.loads.front()->clone());
      load->setOperand(
          0, build.CreatePtrAdd(shared.first, build.CreateMul(iteration, shared.distance)));
      build.Insert(load);
      loaded.push_back({load, place(build, shared, own)});
    }
  }
  build.CreateCall(calls.barrier()); // Others may still read the block before.
  for (auto [load, there] : loaded) {
    build.CreateAlignedStore(load, there, Align(load->getType()->getScalarSizeInBits() / 8));
  }
  build.CreateCall(calls.barrier());
  return block;
}

void Stager::write() {
  auto &scev = analyses_.getResult<ScalarEvolutionAnalysis>(item_);
  const KernelCalls calls(*item_.getParent());
  SCEVExpander expander(scev, item_.getDataLayout(), "stage");
  Instruction *before = loop_->getLoopPreheader()->getTerminator();
  IRBuilder<> build(before);
  Value *trip = expandTrip(*loop_, scev, expander);
  local_ = positionInGroup(build, calls);
  array_ = build.CreateCall(calls.localArray(), build.getInt32(bytes_));
  SmallVector<LoadInst *, 8> loads;
  DenseMap<const LoadInst *, const Shared *> sharedOf;
  for (Shared &shared : shared_) {
    shared.first = expander.expandCodeFor(shared.start, build.getPtrTy(), before);
    shared.distance = expander.expandCodeFor(shared.step, build.getInt64Ty(), before);
    shared.slot = build.CreateAdd(item_.getArg(numbers_[shared.dimension]),
                                  item_.getArg(shifts_[shared.dimension]));
    for (LoadInst *load : shared.loads) {
      loads.push_back(load);
      sharedOf[load] = &shared;
    }
  }
  loop_->setLoopAlreadyUnrolled(); // What is left of it.
  BlockedLoop(*loop_, kDepth)
      .write(
          trip, [&](BasicBlock *from, Value *done) { return fill(from, done); }, loads,
          [&](IRBuilderBase &at, LoadInst &load, Value *iteration) {
            const Shared &shared = *sharedOf.lookup(&load);
            return at.CreateAlignedLoad(load.getType(), place(at, shared, iteration),
                                        Align(shared.bytes));
          },
          kUnrolled);
}

} // namespace

std::array<Value *, 2> positionInGroup(IRBuilderBase &build, const KernelCalls &calls) {
  Value *id = build.CreateZExt(build.CreateCall(calls.localId()), build.getInt64Ty());
  return {build.CreateAnd(id, build.getInt64(kTileGroup[0] - 1)),
          build.CreateLShr(id, build.getInt64(Log2_32(kTileGroup[0])))};
}

bool stageTile(Function &item, ArrayRef<unsigned> numbers, ArrayRef<unsigned> shifts,
               ArrayRef<unsigned> tile, FunctionAnalysisManager &analyses) {
  FunctionPassManager passes;
  passes.addPass(LoopSimplifyPass());
  passes.addPass(LCSSAPass());
  passes.run(item, analyses);
  Stager stager(item, numbers, shifts, tile, analyses);
  const bool isStaged = stager.find();
  if (isStaged) {
    stager.write();
  }
  analyses.clear(item, item.getName());
  return isStaged;
}

} // namespace tutti::compiler
