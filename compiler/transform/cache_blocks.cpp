// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/cache_blocks.h"

#include "compiler/analysis/cache_nest.h"
#include "compiler/ir/construct_calls.h"
#include "compiler/ir/entry_points.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Below, not even asking the runtime would pay.
constexpr std::uint64_t kLeastIterations = 4;
constexpr std::uint64_t kLeastBytes = 32 << 10;
/// What is more is taken for what is computed where the inner loop is not executed.
constexpr std::uint64_t kMostTrip = std::uint64_t{1} << 31;

class BlockWriter {
public:
  BlockWriter(Function &function, const CacheNest &nest, ScalarEvolution &scev)
      : function_(function), nest_(nest), scev_(scev),
        expander_(scev, function.getDataLayout(), "cache"),
        preheader_(nest.outer->getLoopPreheader()), exit_(nest.outer->getExitBlock()) {}

  void write();

private:
  Value *expand(const SCEV *expression);
  void expandSteps();
  BasicBlock *create(const Twine &name);
  void ask();
  void copyNest();
  void divideInner();
  void loopOverBlocks();
  void guard(Loop *loop, Value *isNow);
  void guardOthers();

  template <typename T> T *copyOf(T *value) const {
    const auto found = map_.find(value);
    return found == map_.end() ? value : cast<T>(&*found->second);
  }

  Function &function_;
  const CacheNest &nest_;
  ScalarEvolution &scev_;
  SCEVExpander expander_;
  BasicBlock *preheader_;
  BasicBlock *exit_;
  BasicBlock *asked_ = nullptr;   ///< Where the runtime has been asked,
  BasicBlock *plain_ = nullptr;   ///< where the nest begins as a whole,
  BasicBlock *block_ = nullptr;   ///< where a block begins,
  BasicBlock *again_ = nullptr;   ///< and where it ends.
  SmallVector<Value *, 2> steps_; ///< Of the inner loop's counters.
  Value *trip_ = nullptr;
  Value *size_ = nullptr;
  PHINode *done_ = nullptr; ///< Iterations of the inner loop before the block,
  Value *count_ = nullptr;  ///< and in it.
  ValueToValueMapTy map_;   ///< From the nest to its copy.
};

/// In front of the nest. Where the inner loop is not executed it may be anything.
Value *BlockWriter::expand(const SCEV *expression) {
  Instruction *before = preheader_->getTerminator();
  Value *value = expander_.expandCodeFor(expression, expression->getType(), before);
  return isa<Constant>(value) ? value : new FreezeInst(value, "", before->getIterator());
}

void BlockWriter::expandSteps() {
  for (PHINode &phi : nest_.inner->getHeader()->phis()) {
    const auto *counter = cast<SCEVAddRecExpr>(scev_.getSCEV(&phi));
    steps_.push_back(expand(counter->getStepRecurrence(scev_)));
  }
}

BasicBlock *BlockWriter::create(const Twine &name) {
  return BasicBlock::Create(function_.getContext(), name, &function_, nest_.outer->getHeader());
}

void BlockWriter::ask() {
  trip_ = expand(nest_.trip);
  Value *iterations = expand(nest_.iterations);
  Value *moving = expand(nest_.moving);
  Value *fixed = expand(nest_.fixed);
  Value *column = expand(nest_.column);
  IRBuilder<> build(preheader_->getTerminator());
  Value *bytes = build.CreateAdd(fixed, build.CreateMul(moving, trip_));
  Value *isMuch =
      build.CreateAnd({build.CreateICmpUGE(iterations, build.getInt64(kLeastIterations)),
                       build.CreateICmpUGE(bytes, build.getInt64(kLeastBytes)),
                       build.CreateICmpULE(trip_, build.getInt64(kMostTrip))});
  for (const auto &[condition, isWanted] : nest_.guards) {
    Value *known = build.CreateFreeze(condition);
    isMuch = build.CreateAnd(isMuch, isWanted ? known : build.CreateNot(known));
  }
  asked_ = create("cache.ask");
  plain_ = create("cache.plain");
  build.CreateCondBr(isMuch, asked_, plain_);
  preheader_->getTerminator()->eraseFromParent();
  block_ = create("cache.block");
  build.SetInsertPoint(asked_);
  Value *chunk = function_.getArg(function_.arg_size() - 1);
  size_ = build.CreateCall(EntryPoints(*function_.getParent()).cacheBlock(),
                           {chunk, trip_, moving, fixed, column});
  build.CreateCondBr(build.CreateIsNotNull(size_), block_, plain_);
  build.SetInsertPoint(plain_);
  build.CreateBr(nest_.outer->getHeader());
  nest_.outer->getHeader()->replacePhiUsesWith(preheader_, plain_);
}

void BlockWriter::copyNest() {
  SmallVector<BasicBlock *, 8> body;
  for (BasicBlock *original : nest_.outer->blocks()) {
    body.push_back(CloneBasicBlock(original, map_, ".block", &function_));
    map_[original] = body.back();
  }
  again_ = BasicBlock::Create(function_.getContext(), "cache.again", &function_);
  map_[exit_] = again_; // For the branch of the latch.
  map_[plain_] = block_;
  remapInstructionsInBlocks(body, map_);
  map_.erase(exit_);
  map_.erase(plain_);
}

/// The copy of the inner loop runs from `done_` on, `count_` times.
void BlockWriter::divideInner() {
  BasicBlock *header = copyOf(nest_.inner->getHeader());
  BasicBlock *latch = copyOf(nest_.inner->getLoopLatch());
  BasicBlock *before = copyOf(nest_.inner->getLoopPreheader());
  IRBuilder<> build(before->getTerminator());
  for (auto [phi, step] : zip_equal(nest_.inner->getHeader()->phis(), steps_)) {
    PHINode *copy = copyOf(&phi);
    Value *start = copy->getIncomingValueForBlock(before);
    Value *way = build.CreateMul(build.CreateZExtOrTrunc(done_, step->getType()), step);
    copy->setIncomingValueForBlock(before, phi.getType()->isPointerTy()
                                               ? build.CreateGEP(build.getInt8Ty(), start, way)
                                               : build.CreateAdd(start, way));
  }
  auto *branch = cast<BranchInst>(latch->getTerminator());
  BasicBlock *behind = branch->getSuccessor(branch->getSuccessor(0) == header ? 1 : 0);
  build.SetInsertPoint(header, header->begin());
  PHINode *at = build.CreatePHI(build.getInt64Ty(), 2);
  build.SetInsertPoint(branch);
  Value *next = build.CreateNUWAdd(at, build.getInt64(1));
  BranchInst *back = build.CreateCondBr(build.CreateICmpNE(next, count_), header, behind);
  back->copyMetadata(*branch, {LLVMContext::MD_loop, LLVMContext::MD_dbg});
  branch->eraseFromParent();
  at->addIncoming(build.getInt64(0), before);
  at->addIncoming(next, latch);
}

void BlockWriter::loopOverBlocks() {
  IRBuilder<> build(block_);
  done_ = build.CreatePHI(build.getInt64Ty(), 2, "done");
  count_ = build.CreateBinaryIntrinsic(Intrinsic::umin, size_, build.CreateSub(trip_, done_));
  build.CreateBr(copyOf(nest_.outer->getHeader()));
  build.SetInsertPoint(again_);
  Value *next = build.CreateAdd(done_, size_);
  build.CreateCondBr(build.CreateICmpULT(next, trip_), block_, exit_);
  done_->addIncoming(build.getInt64(0), asked_);
  done_->addIncoming(next, again_);
  for (PHINode &phi : exit_->phis()) {
    phi.addIncoming(phi.getIncomingValueForBlock(nest_.outer->getLoopLatch()), again_);
  }
}

/// Goes around the copy of `loop` unless `isNow`.
void BlockWriter::guard(Loop *loop, Value *isNow) {
  BasicBlock *before = copyOf(loop->getLoopPreheader());
  BasicBlock *latch = copyOf(loop->getLoopLatch());
  BasicBlock *behind = copyOf(loop->getExitBlock());
  for (PHINode &phi : behind->phis()) {
    phi.addIncoming(phi.getIncomingValueForBlock(latch), before);
  }
  Instruction *branch = before->getTerminator();
  IRBuilder<>(branch).CreateCondBr(isNow, copyOf(loop->getHeader()), behind);
  branch->eraseFromParent();
}

void BlockWriter::guardOthers() {
  if (nest_.first.empty() && nest_.last.empty()) {
    return;
  }
  IRBuilder<> build(block_->getTerminator());
  Value *isFirst = build.CreateICmpEQ(done_, build.getInt64(0));
  Value *isLast = build.CreateICmpEQ(build.CreateAdd(done_, count_), trip_);
  for (Loop *loop : nest_.first) {
    guard(loop, isFirst);
  }
  for (Loop *loop : nest_.last) {
    guard(loop, isLast);
  }
}

void BlockWriter::write() {
  expandSteps();
  ask();
  copyNest();
  loopOverBlocks();
  divideInner();
  guardOthers();
}

/// Loops to which a branch around them leads have no block of their own in front.
void addPreheaders(Function &function, FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  for (Loop *outer : loops) {
    for (Loop *inner : outer->getSubLoops()) {
      for (Loop *loop : {outer, inner}) {
        if (!loop->getLoopPreheader()) {
          InsertPreheaderForLoop(loop, &dominators, &loops, nullptr, /*PreserveLCSSA=*/false);
        }
      }
    }
  }
}

} // namespace

void addCacheBlocks(Function &function, FunctionAnalysisManager &analyses) {
  const CallInst *init = nullptr;
  for (const Instruction &inst : instructions(function)) {
    if (isInit(kindOf(inst))) {
      init = cast<CallInst>(&inst);
    }
  }
  if (init) {
    addPreheaders(function, analyses);
  }
  const auto nest = init ? findCacheNest(function, *init, analyses) : std::nullopt;
  if (nest) {
    BlockWriter(function, *nest, analyses.getResult<ScalarEvolutionAnalysis>(function)).write();
  }
  analyses.invalidate(function, PreservedAnalyses::none());
}

} // namespace tutti::compiler
