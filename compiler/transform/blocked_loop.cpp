// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/blocked_loop.h"

#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tutti::compiler {

MDNode *unrolled(LLVMContext &context, unsigned times) {
  auto *count = ConstantInt::get(Type::getInt32Ty(context), times);
  MDNode *property = MDNode::get(
      context, {MDString::get(context, "llvm.loop.unroll.count"), ConstantAsMetadata::get(count)});
  MDNode *loop = MDNode::getDistinct(context, {nullptr, property});
  loop->replaceOperandWith(0, loop);
  return loop;
}

Value *expandTrip(Loop &loop, ScalarEvolution &scev, SCEVExpander &expander) {
  Instruction *before = loop.getLoopPreheader()->getTerminator();
  IRBuilder<> build(before);
  const SCEV *count = scev.getBackedgeTakenCount(&loop);
  Value *again = expander.expandCodeFor(count, count->getType(), before);
  return build.CreateAdd(build.CreateZExt(again, build.getInt64Ty()), build.getInt64(1));
}

/// What stands for `value` in the copy of the loop.
Value *BlockedLoop::copyOf(Value *value) const {
  const auto found = map_.find(value);
  return found == map_.end() ? value : &*found->second;
}

/// The loop over a block; from `filled` to `behind`.
void BlockedLoop::addLoopOverBlock(BasicBlock *filled, BasicBlock *behind,
                                   ArrayRef<LoadInst *> loads, Load load, unsigned times) {
  Function &function = *filled->getParent();
  SmallVector<BasicBlock *, 8> body;
  for (BasicBlock *original : loop_.blocks()) {
    body.push_back(CloneBasicBlock(original, map_, ".staged", &function));
    body.back()->moveBefore(behind);
    map_[original] = body.back();
  }
  remapInstructionsInBlocks(body, map_);
  auto *start = cast<BasicBlock>(copyOf(loop_.getHeader()));
  auto *latch = cast<BasicBlock>(copyOf(loop_.getLoopLatch()));
  IRBuilder<> build(filled);
  build.CreateBr(start);
  build.SetInsertPoint(start, start->begin());
  PHINode *at = build.CreatePHI(build.getInt64Ty(), 2);
  latch->getTerminator()->eraseFromParent();
  build.SetInsertPoint(latch);
  Value *next = build.CreateNUWAdd(at, build.getInt64(1));
  Value *isMore = build.CreateICmpNE(next, build.getInt64(size_));
  BranchInst *back = build.CreateCondBr(isMore, start, behind);
  if (times > 0) {
    back->setMetadata(LLVMContext::MD_loop, unrolled(function.getContext(), times));
  }
  at->addIncoming(build.getInt64(0), filled);
  at->addIncoming(next, latch);
  for (LoadInst *original : loads) {
    auto *copy = cast<LoadInst>(copyOf(original));
    build.SetInsertPoint(copy);
    Value *loaded = load(build, *original, at);
    map_[original] = loaded;
    copy->replaceAllUsesWith(loaded);
    copy->eraseFromParent();
  }
}

void BlockedLoop::write(Value *trip, Fill fill, ArrayRef<LoadInst *> loads, Load load,
                        unsigned times) {
  BasicBlock *preheader = loop_.getLoopPreheader();
  BasicBlock *header = loop_.getHeader();
  BasicBlock *latch = loop_.getLoopLatch();
  BasicBlock *exit = loop_.getUniqueExitBlock();
  Function &function = *header->getParent();
  const auto create = [&](const Twine &name) {
    return BasicBlock::Create(function.getContext(), name, &function, header);
  };
  IRBuilder<> build(preheader->getTerminator());
  Value *size = build.getInt64(size_);
  Value *whole = build.CreateAnd(trip, build.CreateNeg(size), "whole");
  Value *hasBlocks = build.CreateIsNotNull(whole);
  BasicBlock *block = create("block");
  BasicBlock *behind = create("staged");
  BasicBlock *end = create("end");
  BasicBlock *rest = create("rest");
  build.CreateCondBr(hasBlocks, block, rest);
  preheader->getTerminator()->eraseFromParent();
  build.SetInsertPoint(block);
  PHINode *done = build.CreatePHI(build.getInt64Ty(), 2, "done");
  SmallVector<PHINode *, 4> carried; // From block to block.
  for (PHINode &phi : header->phis()) {
    carried.push_back(build.CreatePHI(phi.getType(), 2));
  }
  BasicBlock *filled = fill(block, done);
  addLoopOverBlock(filled, behind, loads, load, times);
  build.SetInsertPoint(behind);
  Value *all = build.CreateNUWAdd(done, size);
  build.CreateCondBr(build.CreateICmpULT(all, whole), block, end);
  done->addIncoming(build.getInt64(0), preheader);
  done->addIncoming(all, behind);
  build.SetInsertPoint(end);
  build.CreateCondBr(build.CreateICmpULT(whole, trip), rest, exit);
  build.SetInsertPoint(rest);
  for (auto [phi, ofBlocks] : zip_equal(header->phis(), carried)) {
    Value *before = phi.getIncomingValueForBlock(preheader);
    Value *after = copyOf(phi.getIncomingValueForBlock(latch));
    ofBlocks->addIncoming(before, preheader);
    ofBlocks->addIncoming(after, behind);
    auto *copy = cast<PHINode>(copyOf(&phi));
    copy->setIncomingValueForBlock(preheader, ofBlocks);
    copy->replaceIncomingBlockWith(preheader, filled);
    PHINode *ofRest = build.CreatePHI(phi.getType(), 2);
    ofRest->addIncoming(before, preheader);
    ofRest->addIncoming(after, end);
    phi.setIncomingValueForBlock(preheader, ofRest);
    phi.replaceIncomingBlockWith(preheader, rest);
  }
  build.CreateBr(header);
  for (PHINode &phi : exit->phis()) {
    phi.addIncoming(copyOf(phi.getIncomingValueForBlock(latch)), end);
  }
}

} // namespace tutti::compiler
