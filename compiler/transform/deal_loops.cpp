// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/deal_loops.h"

#include "compiler/analysis/chunk_loop.h"
#include "compiler/ir/kernel.h"
#include "compiler/ir/kernel_calls.h"
#include "compiler/transform/strided_loop.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

class Dealer {
public:
  Dealer(Function &kernel, FunctionAnalysisManager &analyses)
      : kernel_(kernel), analyses_(analyses), calls_(*kernel.getParent()) {
    IRBuilder<> build(&*kernel.getEntryBlock().getFirstInsertionPt());
    localId_ = build.CreateCall(calls_.localId());
    Value *count = build.CreateCall(calls_.localCount());
    isFirst_ = build.CreateICmpEQ(localId_, build.getInt32(0));
    localId_ = build.CreateZExt(localId_, build.getInt64Ty());
    localCount_ = build.CreateZExt(count, build.getInt64Ty());
    groupId_ = build.CreateCall(calls_.groupId());
    // The grid has one dimension.
    groupCount_ =
        build.CreateUDiv(build.CreateCall(calls_.itemCount(), build.getInt32(0)), localCount_);
    trip_ = build.CreateNSWSub(kernel.getArg(kernel::Upper), kernel.getArg(kernel::Lower));
  }

  void order(const DealtLoops &dealt);
  bool dealInner(BasicBlock &header);
  bool dealChunk(BasicBlock &header);

private:
  Loop &loopAt(BasicBlock &header) {
    return *analyses_.getResult<LoopAnalysis>(kernel_).getLoopFor(&header);
  }

  Function &kernel_;
  FunctionAnalysisManager &analyses_;
  KernelCalls calls_;
  Value *localId_;
  Value *localCount_;
  Value *isFirst_;
  Value *groupId_;
  Value *groupCount_;
  Value *trip_;
};

/// Puts barriers and stores where they belong.
void Dealer::order(const DealtLoops &dealt) {
  for (Instruction *place : dealt.barriers) {
    IRBuilder<>(place).CreateCall(calls_.memoryBarrier());
  }
  for (StoreInst *store : dealt.stores) {
    store->moveBefore(SplitBlockAndInsertIfThen(isFirst_, store->getIterator(), false));
  }
  restoreLoops(kernel_, analyses_);
}

bool Dealer::dealInner(BasicBlock &header) {
  auto &scev = analyses_.getResult<ScalarEvolutionAnalysis>(kernel_);
  Loop &loop = loopAt(header);
  StridedLoop strided(loop, scev);
  // Those without iterations go on behind the loop, as where it accumulates.
  if (!strided.analyse(/*accumulating=*/true).empty()) {
    return false;
  }
  Instruction *before = loop.getLoopPreheader()->getTerminator();
  Type *i64 = Type::getInt64Ty(kernel_.getContext());
  const SCEV *exact = scev.getBackedgeTakenCount(&loop);
  if (isa<SCEVCouldNotCompute>(exact)) {
    return false; // At most so many are known, with a step that only the launch knows.
  }
  const SCEV *taken = scev.getTruncateOrZeroExtend(exact, i64);
  const SCEV *trip = scev.getAddExpr(taken, scev.getOne(i64));
  SCEVExpander expander(scev, kernel_.getDataLayout(), "deal");
  if (!expander.isSafeToExpandAt(trip, before)) {
    return false;
  }
  strided.divide(localId_, localCount_, expander.expandCodeFor(trip, i64, before));
  restoreLoops(kernel_, analyses_);
  return true;
}

bool Dealer::dealChunk(BasicBlock &header) {
  StridedLoop strided(loopAt(header), analyses_.getResult<ScalarEvolutionAnalysis>(kernel_));
  if (!strided.analyse(/*accumulating=*/false).empty()) {
    return false;
  }
  strided.divide(groupId_, groupCount_, trip_);
  restoreLoops(kernel_, analyses_);
  return true;
}

} // namespace

bool dealLoops(Function &kernel, BasicBlock &chunkHeader, const DealtLoops &dealt,
               FunctionAnalysisManager &analyses) {
  SmallVector<BasicBlock *, 2> headers;
  for (const Loop *loop : dealt.loops) {
    headers.push_back(loop->getHeader());
  }
  Dealer dealer(kernel, analyses);
  dealer.order(dealt);
  return all_of(headers, [&](BasicBlock *header) { return dealer.dealInner(*header); }) &&
         dealer.dealChunk(chunkHeader);
}

} // namespace tutti::compiler
