// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/staged_loads.h"

#include "compiler/ir/kernel_calls.h"
#include "compiler/transform/blocked_loop.h"

#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#define DEBUG_TYPE "tutti-stage-loads"

using namespace llvm;

namespace tutti::compiler {

namespace {

constexpr unsigned kUnrolled = 8; ///< Times that a short loop over a block is.

class Writer {
public:
  Writer(Function &kernel, FunctionAnalysisManager &analyses, const SharedLoads &shared)
      : kernel_(kernel), analyses_(analyses), shared_(shared) {}

  void write() {
    addBlocks();
    guardEffects(shareIterations());
  }

private:
  Value *prepare();
  Value *place(IRBuilderBase &build, const SharedElement &element, Value *iteration) const;
  Align alignment(const SharedElement &element) const;
  BasicBlock *fillArray(BasicBlock *from, Value *done);
  void addBlocks();
  Value *shareIterations();
  void guardEffects(Value *exists);

  Function &kernel_;
  FunctionAnalysisManager &analyses_;
  const SharedLoads &shared_;
  SmallVector<Value *, 4> starts_; ///< Of elements,
  SmallVector<Value *, 4> steps_;  ///< and how far the next iteration's are behind them.
  Value *localId_ = nullptr;
  Value *localCount_ = nullptr;
  Value *array_ = nullptr; ///< In local memory.
};

/// The block's elements move to local memory, by all work-items together.
BasicBlock *Writer::fillArray(BasicBlock *from, Value *done) {
  LLVMContext &context = kernel_.getContext();
  const KernelCalls calls(*kernel_.getParent());
  auto *fill = BasicBlock::Create(context, "fill", &kernel_, from->getNextNode());
  auto *filled = BasicBlock::Create(context, "filled", &kernel_, fill->getNextNode());
  IRBuilder<> build(from);
  Value *size = build.getInt64(shared_.blockCount);
  build.CreateCall(calls.barrier()); // Others may still read the block before.
  build.CreateCondBr(build.CreateICmpULT(localId_, size), fill, filled);
  build.SetInsertPoint(fill);
  PHINode *own = build.CreatePHI(build.getInt64Ty(), 2);
  Value *iteration = build.CreateAdd(done, own);
  for (auto [element, start, step] : zip_equal(shared_.elements, starts_, steps_)) {
    auto *load = cast<LoadInst>(element.loads.front()->clone());
    load->setOperand(0, build.CreatePtrAdd(start, build.CreateMul(iteration, step)));
    build.Insert(load);
    build.CreateAlignedStore(load, place(build, element, own), alignment(element));
  }
  Value *next = build.CreateNUWAdd(own, localCount_);
  build.CreateCondBr(build.CreateICmpULT(next, size), fill, filled)
      ->setMetadata(LLVMContext::MD_loop, unrolled(context, 1));
  own->addIncoming(localId_, from);
  own->addIncoming(next, fill);
  build.SetInsertPoint(filled);
  build.CreateCall(calls.barrier());
  return filled;
}

/// Where `element` of an iteration of the block is in local memory.
Value *Writer::place(IRBuilderBase &build, const SharedElement &element, Value *iteration) const {
  Value *record = build.CreateNUWMul(iteration, build.getInt64(shared_.recordBytes));
  return build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), build.CreatePtrAdd(array_, record),
                                          element.offset);
}

Align Writer::alignment(const SharedElement &element) const {
  return commonAlignment(commonAlignment(Align(SharedLoads::kAlignment), shared_.recordBytes),
                         element.offset);
}

/// Computes what the blocks need; how often the inner loop runs.
Value *Writer::prepare() {
  auto &scev = analyses_.getResult<ScalarEvolutionAnalysis>(kernel_);
  const KernelCalls calls(*kernel_.getParent());
  Instruction *before = shared_.loop->getLoopPreheader()->getTerminator();
  SCEVExpander expander(scev, kernel_.getDataLayout(), "stage");
  IRBuilder<> build(before);
  for (const SharedElement &element : shared_.elements) {
    starts_.push_back(expander.expandCodeFor(element.start, build.getPtrTy(), before));
    steps_.push_back(expander.expandCodeFor(element.step, build.getInt64Ty(), before));
  }
  Value *trip = expandTrip(*shared_.loop, scev, expander);
  build.SetInsertPoint(shared_.own.first->getNextNode());
  localId_ = build.CreateZExt(build.CreateCall(calls.localId()), build.getInt64Ty());
  localCount_ = build.CreateZExt(build.CreateCall(calls.localCount()), build.getInt64Ty());
  array_ = build.CreateCall(calls.localArray(),
                            build.getInt32(shared_.blockCount * shared_.recordBytes));
  return trip;
}

void Writer::addBlocks() {
  SmallVector<LoadInst *, 8> loads;
  DenseMap<const LoadInst *, const SharedElement *> elementOf;
  for (const SharedElement &element : shared_.elements) {
    for (LoadInst *load : element.loads) {
      loads.push_back(load);
      elementOf[load] = &element;
    }
  }
  Value *trip = prepare();
  BlockedLoop(*shared_.loop, shared_.blockCount)
      .write(
          trip, [&](BasicBlock *from, Value *done) { return fillArray(from, done); }, loads,
          [&](IRBuilderBase &build, LoadInst &load, Value *at) {
            const SharedElement &element = *elementOf.lookup(&load);
            return build.CreateAlignedLoad(load.getType(), place(build, element, at),
                                           alignment(element));
          },
          shared_.isShort ? kUnrolled : 0);
}

/// Makes the own loop run as often for all items of a group. Whether the item has an iteration.
Value *Writer::shareIterations() {
  IRBuilder<> build(cast<Instruction>(localId_)->getNextNode());
  Value *base = build.CreateSub(shared_.own.first, localId_, "base");
  shared_.own.guard->setOperand(0, base);
  shared_.own.counter->setIncomingValueForBlock(shared_.own.preheader, base);
  build.SetInsertPoint(shared_.own.preheader->getTerminator());
  Value *last = build.CreateSub(shared_.own.trip, build.getInt64(1), "last");
  build.SetInsertPoint(&*shared_.own.header->getFirstInsertionPt());
  Value *own = build.CreateNSWAdd(shared_.own.counter, localId_, "own");
  Value *exists = build.CreateICmpSLT(own, shared_.own.trip, "exists");
  Value *taken = build.CreateSelect(exists, own, last, "k");
  shared_.own.counter->replaceUsesWithIf(taken, [&](Use &use) {
    return use.getUser() != own && use.getUser() != shared_.own.next && use.getUser() != taken;
  });
  return exists;
}

/// Puts what comes behind `shared_.end`, up to the next iteration, under the condition `exists`.
void Writer::guardEffects(Value *exists) {
  BasicBlock *rest = SplitBlock(shared_.end, shared_.end->getFirstInsertionPt());
  BasicBlock *latch = shared_.own.latch == shared_.end ? rest : shared_.own.latch;
  BasicBlock *join = SplitBlock(latch, latch->getTerminator());
  shared_.own.next->moveBefore(join->getTerminator());
  shared_.own.again->moveBefore(join->getTerminator());
  IRBuilder<> build(shared_.end->getTerminator());
  build.CreateCondBr(exists, rest, join);
  shared_.end->getTerminator()->eraseFromParent();
  build.SetInsertPoint(join, join->begin());
  for (PHINode &phi : shared_.own.header->phis()) {
    Value *next = phi.getIncomingValueForBlock(join);
    if (&phi == shared_.own.counter || next == &phi) {
      continue;
    }
    PHINode *kept = build.CreatePHI(phi.getType(), 2);
    kept->addIncoming(next, latch);
    kept->addIncoming(&phi, shared_.end);
    phi.setIncomingValueForBlock(join, kept);
    for (PHINode &left : shared_.own.exit->phis()) {
      if (left.getIncomingValueForBlock(join) == next) {
        left.setIncomingValueForBlock(join, kept);
      }
    }
  }
}

} // namespace

void stageLoads(Function &kernel, FunctionAnalysisManager &analyses, const SharedLoads &shared) {
  Writer(kernel, analyses, shared).write();
}

PreservedAnalyses StageLoadsPass::run(Function &kernel, FunctionAnalysisManager &analyses) {
  auto &remarks = analyses.getResult<OptimizationRemarkEmitterAnalysis>(kernel);
  BasicBlock *entry = &kernel.getEntryBlock();
  const SharedLoads shared = findSharedLoads(kernel, analyses);
  if (!shared.reason.empty()) {
    remarks.emit([&] {
      return OptimizationRemarkMissed(DEBUG_TYPE, "NotStaged", DebugLoc(), entry)
             << kernel.getName() << ": " << shared.reason;
    });
    return PreservedAnalyses::all();
  }
  remarks.emit([&] {
    return OptimizationRemark(DEBUG_TYPE, "Staged", DebugLoc(), entry)
           << kernel.getName() << ": staged"
           << (shared.needsDisjoint ? ", if objects are disjoint" : "");
  });
  stageLoads(kernel, analyses, shared);
  return PreservedAnalyses::none();
}

} // namespace tutti::compiler
