// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/staged_loads.h"

#include "compiler/ir/kernel.h"
#include "compiler/ir/kernel_calls.h"
#include "compiler/transform/device_pointers.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#define DEBUG_TYPE "tutti-stage-loads"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tutti::compiler {

namespace {

// Measured on H200 (bench/results/kernels-2026-11-21.md).
constexpr std::uint64_t kMostIterations = 256; ///< Of a block.
constexpr std::uint64_t kMostBytes = 4096;
constexpr std::uint64_t kAlignment = 16; ///< Of the array: what is loaded at once.
constexpr std::uint64_t kLeastIterations = 32;
constexpr unsigned kUnrolled = 8;          ///< Times that a loop over a block is,
constexpr unsigned kMostInstructions = 40; ///< if it is not longer.

bool isCallOf(const Value &value, StringRef name) {
  const auto *call = dyn_cast<CallInst>(&value);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == name;
}

/// Whether a call is of the C math library: what else has no body, the header of the form tells.
bool isMathCall(const CallInst &call) {
  const Function *callee = call.getCalledFunction();
  return callee && callee->isDeclaration() && !callee->isIntrinsic() &&
         !callee->getName().starts_with("tutti.") &&
         none_of(call.args(), [](const Use &use) { return use->getType()->isPointerTy(); });
}

/// Whether `inst` needs the memory that is there, or changes it; devices have no errno.
bool touchesMemory(const Instruction &inst) {
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
  const auto *call = dyn_cast<CallInst>(&inst);
  return !(intrinsic && intrinsic->isAssumeLikeIntrinsic()) && !(call && isMathCall(*call)) &&
         (inst.mayReadOrWriteMemory() || (call && call->isConvergent()));
}

bool hasEffect(const Instruction &inst) {
  return touchesMemory(inst) && (inst.mayWriteToMemory() || isa<CallInst>(inst));
}

/// Whether `pointer` leads to what other work-items see: neither private nor local memory, nor a
/// constant, nor partial results.
bool isGlobal(const Value *pointer) { return isa<IntToPtrInst>(getUnderlyingObject(pointer, 0)); }

/// Metadata of a loop that is to be unrolled `times` times.
MDNode *unrolled(LLVMContext &context, unsigned times) {
  auto *count = ConstantInt::get(Type::getInt32Ty(context), times);
  MDNode *property = MDNode::get(
      context, {MDString::get(context, "llvm.loop.unroll.count"), ConstantAsMetadata::get(count)});
  MDNode *loop = MDNode::getDistinct(context, {nullptr, property});
  loop->replaceOperandWith(0, loop);
  return loop;
}

Value *mapped(const ValueToValueMapTy &map, Value *value) {
  const auto found = map.find(value);
  return found == map.end() ? value : &*found->second;
}

} // namespace

StagedLoads::StagedLoads(Function &kernel, FunctionAnalysisManager &analyses)
    : kernel_(kernel), analyses_(analyses) {}

bool StagedLoads::findOwnLoop() {
  for (Loop *loop : analyses_.getResult<LoopAnalysis>(kernel_)) {
    BasicBlock *preheader = loop->getLoopPreheader();
    BasicBlock *latch = loop->getLoopLatch();
    auto *branch = latch ? dyn_cast<BranchInst>(latch->getTerminator()) : nullptr;
    auto *again =
        branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
    if (!preheader || !again || again->getPredicate() != ICmpInst::ICMP_SLT ||
        !again->hasOneUse() || branch->getSuccessor(0) != loop->getHeader() ||
        loop->getExitingBlock() != latch || !loop->getUniqueExitBlock()) {
      continue;
    }
    for (PHINode &phi : loop->getHeader()->phis()) {
      auto *first = dyn_cast<CallInst>(phi.getIncomingValueForBlock(preheader));
      auto *next = dyn_cast<Instruction>(phi.getIncomingValueForBlock(latch));
      Value *step = nullptr;
      if (!first || !isCallOf(*first, kernel::kItemId) || again->getOperand(0) != next ||
          !match(next, m_Add(m_Specific(&phi), m_Value(step))) ||
          !isCallOf(*step, kernel::kItemCount) || !next->hasNUses(2)) {
        continue;
      }
      own_ = {loop,
              preheader,
              loop->getHeader(),
              latch,
              loop->getUniqueExitBlock(),
              &phi,
              first,
              next,
              again,
              nullptr,
              again->getOperand(1)};
      for (User *user : first->users()) {
        auto *compare = dyn_cast<ICmpInst>(user);
        if (compare && compare->getPredicate() == ICmpInst::ICMP_SLT &&
            compare->getOperand(0) == first && compare->getOperand(1) == own_.trip) {
          own_.guard = compare;
        }
      }
      return own_.guard && isUniform(*own_.trip);
    }
  }
  return false;
}

/// Whether all work-items of a group compute the same.
bool StagedLoads::isUniform(const Value &value) const {
  SmallPtrSet<const Value *, 16> seen;
  SmallVector<const Value *, 16> work{&value};
  while (!work.empty()) {
    const Value *part = work.pop_back_val();
    if (isa<Constant, Argument>(part) || part == own_.guard || !seen.insert(part).second) {
      continue; // Of the guard's operands `stage` makes the same for all.
    }
    if (const auto *call = dyn_cast<CallInst>(part)) {
      if (!call->doesNotAccessMemory() || isCallOf(*call, kernel::kItemId) ||
          isCallOf(*call, kernel::kLocalId)) {
        return false;
      }
      append_range(work, call->args());
    } else if (isa<BinaryOperator, UnaryOperator, CastInst, CmpInst, SelectInst, GetElementPtrInst,
                   FreezeInst>(part)) {
      append_range(work, cast<Instruction>(part)->operands());
    } else {
      return false;
    }
  }
  return true;
}

bool StagedLoads::isUniform(const SCEV &expression) const {
  return !SCEVExprContains(&expression, [this](const SCEV *part) {
    const auto *unknown = dyn_cast<SCEVUnknown>(part);
    return isa<SCEVAddRecExpr, SCEVCouldNotCompute>(part) ||
           (unknown && !isUniform(*unknown->getValue()));
  });
}

/// Whether all work-items of a group get to `block` in each of the group's iterations, or none: it
/// is under conditions that are the same for all of them.
bool StagedLoads::isReachedByAll(BasicBlock &block) {
  const auto &after = analyses_.getResult<PostDominatorTreeAnalysis>(kernel_);
  SmallPtrSet<const BasicBlock *, 8> seen{&block};
  SmallVector<BasicBlock *, 8> work{&block};
  while (!work.empty()) {
    BasicBlock *reached = work.pop_back_val();
    for (BasicBlock &from : kernel_) {
      const bool decides = !after.properlyDominates(reached, &from) &&
                           any_of(successors(&from), [&](const BasicBlock *next) {
                             return after.dominates(reached, next);
                           });
      if (!decides || &from == own_.latch) {
        continue; // How often the latch is passed, `stage` makes the same for all.
      }
      Instruction *end = from.getTerminator();
      const Value *condition = isa<BranchInst>(end)   ? cast<BranchInst>(end)->getCondition()
                               : isa<SwitchInst>(end) ? cast<SwitchInst>(end)->getCondition()
                                                      : nullptr;
      if (!condition || !isUniform(*condition)) {
        return false;
      }
      if (seen.insert(&from).second) {
        work.push_back(&from);
      }
    }
  }
  return true;
}

/// What the loop loads, and all of it.
std::string StagedLoads::findSlots() {
  auto &scev = analyses_.getResult<ScalarEvolutionAnalysis>(kernel_);
  const auto &dominators = analyses_.getResult<DominatorTreeAnalysis>(kernel_);
  SCEVExpander expander(scev, kernel_.getDataLayout(), "stage");
  const Instruction *before = loop_->getLoopPreheader()->getTerminator();
  slots_.clear();
  for (BasicBlock *block : loop_->blocks()) {
    for (Instruction &inst : *block) {
      auto *load = dyn_cast<LoadInst>(&inst);
      if (!load && touchesMemory(inst)) {
        return "its inner loop does more with memory than load";
      }
      if (!load) {
        continue;
      }
      Type *type = load->getType();
      const bool isNumber = type->isFloatTy() || type->isDoubleTy() || type->isIntegerTy(8) ||
                            type->isIntegerTy(16) || type->isIntegerTy(32) || type->isIntegerTy(64);
      const auto *address = dyn_cast<SCEVAddRecExpr>(scev.getSCEV(load->getPointerOperand()));
      if (!isNumber || !load->isSimple() || !isGlobal(load->getPointerOperand()) || !address ||
          address->getLoop() != loop_ || !address->isAffine() || !isUniform(*address->getStart()) ||
          !isUniform(*address->getOperand(1))) {
        return "its inner loop loads what differs between work-items";
      }
      if (!dominators.dominates(block, loop_->getLoopLatch())) {
        return "its inner loop loads under a condition";
      }
      if (!expander.isSafeToExpandAt(address->getStart(), before) ||
          !expander.isSafeToExpandAt(address->getOperand(1), before)) {
        return "its inner loop has a form that cannot be staged";
      }
      auto *known = find_if(slots_, [&](const Slot &slot) {
        return slot.start == address->getStart() && slot.step == address->getOperand(1) &&
               slot.loads.front()->getType() == type;
      });
      if (known == slots_.end()) {
        slots_.push_back({address->getStart(), address->getOperand(1), {load}});
      } else {
        known->loads.push_back(load);
      }
    }
  }
  return slots_.empty() ? "its inner loop loads nothing" : "";
}

/// In local memory as in memory, where that is known: neighbours can be loaded at once.
void StagedLoads::layOut() {
  auto &scev = analyses_.getResult<ScalarEvolutionAnalysis>(kernel_);
  SmallVector<std::pair<std::int64_t, Slot *>, 4> order;
  for (Slot &slot : slots_) {
    const auto *distance =
        dyn_cast<SCEVConstant>(scev.getMinusSCEV(slot.start, slots_.front().start));
    order.push_back(
        {distance ? distance->getAPInt().getSExtValue() : std::numeric_limits<std::int64_t>::max(),
         &slot});
  }
  sort(order);
  recordBytes_ = 0;
  for (auto [distance, slot] : order) {
    const std::uint64_t bytes = kernel_.getDataLayout().getTypeStoreSize(slot->loads[0]->getType());
    slot->offset = alignTo(recordBytes_, bytes);
    recordBytes_ = slot->offset + bytes;
  }
  recordBytes_ =
      recordBytes_ < kAlignment ? PowerOf2Ceil(recordBytes_) : alignTo(recordBytes_, kAlignment);
  blockCount_ = std::min(kMostIterations, bit_floor(kMostBytes / recordBytes_));
}

/// Whether a load may read what a store of another work-item, or of another iteration, writes.
bool StagedLoads::mayChange(const LoadInst &load, const StoreInst &store) {
  // Types say it whichever addresses the two have.
  const auto anywhere = [](const Instruction &inst) {
    AAMDNodes type;
    type.TBAA = inst.getMetadata(LLVMContext::MD_tbaa);
    return MemoryLocation::getBeforeOrAfter(getLoadStorePointerOperand(&inst), type);
  };
  if (analyses_.getResult<AAManager>(kernel_).isNoAlias(anywhere(load), anywhere(store))) {
    return false;
  }
  const Argument *read = parameterOf(load.getPointerOperand());
  const Argument *written = parameterOf(store.getPointerOperand());
  if (!read || !written || read == written) {
    return true;
  }
  needsDisjoint_ = true;
  return false;
}

/// The first block behind the inner loop that each iteration gets to.
BasicBlock *StagedLoads::findEnd() {
  const auto &after = analyses_.getResult<PostDominatorTreeAnalysis>(kernel_);
  const auto &dominators = analyses_.getResult<DominatorTreeAnalysis>(kernel_);
  const auto &loops = analyses_.getResult<LoopAnalysis>(kernel_);
  for (const auto *node = after.getNode(loop_->getUniqueExitBlock()); node;
       node = node->getIDom()) {
    BasicBlock *block = node->getBlock();
    if (block && loops.getLoopFor(block) == own_.loop && dominators.dominates(block, own_.latch)) {
      return block;
    }
  }
  return nullptr;
}

/// Whether an item without an iteration may load what the item whose iteration it repeats writes
/// meanwhile: before `end_`, nothing but values depends on it.
bool StagedLoads::onlyComputes(const LoadInst &load) {
  const auto &dominators = analyses_.getResult<DominatorTreeAnalysis>(kernel_);
  SmallPtrSet<const Instruction *, 16> seen{&load};
  SmallVector<const Instruction *, 16> work{&load};
  while (!work.empty()) {
    for (const User *user : work.pop_back_val()->users()) {
      const auto *inst = cast<Instruction>(user);
      if (!own_.loop->contains(inst) || dominators.dominates(end_, inst->getParent()) ||
          !seen.insert(inst).second) {
        continue;
      }
      const bool decides = inst->isTerminator() && !loop_->contains(inst);
      if (decides || isa<LoadInst>(inst) || inst->isIntDivRem()) {
        return false;
      }
      work.push_back(inst);
    }
  }
  return true;
}

/// Items without an iteration execute what comes before `end_`, and nothing behind it.
std::string StagedLoads::checkEffects() {
  const auto &dominators = analyses_.getResult<DominatorTreeAnalysis>(kernel_);
  SmallVector<const LoadInst *, 8> loads;
  SmallVector<const StoreInst *, 8> stores;
  for (Instruction &inst : instructions(kernel_)) {
    const auto *store = dyn_cast<StoreInst>(&inst);
    if (store && isGlobal(store->getPointerOperand())) {
      stores.push_back(store);
    }
    if (!own_.loop->contains(&inst)) {
      continue;
    }
    const bool isBehind = dominators.dominates(end_, inst.getParent());
    if (hasEffect(inst) && !isBehind) {
      return "it writes in front of its inner loop";
    }
    if (hasEffect(inst) && !store) {
      return "it writes in another way than by stores";
    }
    const auto *load = dyn_cast<LoadInst>(&inst);
    if (load && !isBehind && isGlobal(load->getPointerOperand()) &&
        (loop_->contains(load) || !onlyComputes(*load))) {
      loads.push_back(load);
    }
  }
  for (const LoadInst *load : loads) {
    if (any_of(stores, [&](const StoreInst *store) { return mayChange(*load, *store); })) {
      return "it may write what it reads before";
    }
  }
  for (const PHINode &phi : own_.exit->phis()) {
    const Value *left = phi.getIncomingValueForBlock(own_.latch);
    const auto *inst = dyn_cast<Instruction>(left);
    const bool isSum = any_of(own_.header->phis(), [&](const PHINode &carried) {
      return &carried != own_.counter && carried.getIncomingValueForBlock(own_.latch) == left;
    });
    if (inst && own_.loop->contains(inst) && !isSum) {
      return "it leaves a value of its last iteration behind";
    }
  }
  return {};
}

/// Whether the loop is worth barriers.
std::string StagedLoads::checkWork() const {
  if (blockCount_ < kLeastIterations) {
    return "its inner loop loads too much at once";
  }
  auto &scev = analyses_.getResult<ScalarEvolutionAnalysis>(kernel_);
  const unsigned trip = scev.getSmallConstantMaxTripCount(loop_);
  if (trip > 0 && trip < 2 * blockCount_) {
    return "its inner loop is short";
  }
  return {};
}

std::string StagedLoads::analyseLoop(Loop &loop) {
  auto &scev = analyses_.getResult<ScalarEvolutionAnalysis>(kernel_);
  loop_ = &loop;
  needsDisjoint_ = false;
  BasicBlock *preheader = loop.getLoopPreheader();
  BasicBlock *latch = loop.getLoopLatch();
  BasicBlock *exit = loop.getUniqueExitBlock();
  if (!preheader || !latch || !exit || loop.getExitingBlock() != latch ||
      exit->getUniquePredecessor() != latch || !isa<BranchInst>(latch->getTerminator())) {
    return "its inner loop has a form that cannot be staged";
  }
  const SCEV *count = scev.getBackedgeTakenCount(&loop);
  SCEVExpander expander(scev, kernel_.getDataLayout(), "stage");
  if (!isUniform(*count) || scev.getTypeSizeInBits(count->getType()) > 64 ||
      !expander.isSafeToExpandAt(count, preheader->getTerminator())) {
    return "its inner loop's bounds may differ between work-items";
  }
  if (!isReachedByAll(*preheader)) {
    return "not all work-items may reach its inner loop";
  }
  if (std::string reason = findSlots(); !reason.empty()) {
    return reason;
  }
  layOut();
  if (std::string reason = checkWork(); !reason.empty()) {
    return reason;
  }
  end_ = findEnd();
  return end_ ? checkEffects() : "its inner loop has a form that cannot be staged";
}

std::string StagedLoads::analyse() {
  if (!findOwnLoop()) {
    return "its loop has a form that cannot be staged";
  }
  std::string reason = "it has no innermost loop";
  for (Loop *inner : reverse(own_.loop->getSubLoops())) { // Which are in reverse order.
    if (inner->isInnermost()) {
      reason = analyseLoop(*inner);
      if (reason.empty()) {
        return {};
      }
    }
  }
  return reason;
}

/// The block's elements move to local memory, by all work-items together.
BasicBlock *StagedLoads::fillArray(BasicBlock *from, Value *done) {
  LLVMContext &context = kernel_.getContext();
  const KernelCalls calls(*kernel_.getParent());
  auto *fill = BasicBlock::Create(context, "fill", &kernel_, loop_->getHeader());
  auto *filled = BasicBlock::Create(context, "filled", &kernel_, loop_->getHeader());
  IRBuilder<> build(from);
  Value *size = build.getInt64(blockCount_);
  build.CreateCall(calls.barrier()); // Others may still read the block before.
  build.CreateCondBr(build.CreateICmpULT(localId_, size), fill, filled);
  build.SetInsertPoint(fill);
  PHINode *own = build.CreatePHI(build.getInt64Ty(), 2);
  Value *iteration = build.CreateAdd(done, own);
  for (const Slot &slot : slots_) {
    Value *offset = build.CreateMul(iteration, slot.distance);
    auto *load = cast<LoadInst>(slot.loads.front()->clone());
    load->setOperand(0, build.CreatePtrAdd(slot.address, offset));
    build.Insert(load);
    build.CreateAlignedStore(load, element(build, slot, own), alignment(slot));
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

Value *StagedLoads::element(IRBuilderBase &build, const Slot &slot, Value *iteration) const {
  Value *record = build.CreateNUWMul(iteration, build.getInt64(recordBytes_));
  return build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), build.CreatePtrAdd(array_, record),
                                          slot.offset);
}

Align StagedLoads::alignment(const Slot &slot) const {
  return commonAlignment(commonAlignment(Align(kAlignment), recordBytes_), slot.offset);
}

/// What the blocks need is computed in front of the own loop's body, which it does not depend on.
Value *StagedLoads::prepare() {
  auto &scev = analyses_.getResult<ScalarEvolutionAnalysis>(kernel_);
  const KernelCalls calls(*kernel_.getParent());
  Instruction *before = loop_->getLoopPreheader()->getTerminator();
  SCEVExpander expander(scev, kernel_.getDataLayout(), "stage");
  IRBuilder<> build(before);
  for (Slot &slot : slots_) {
    slot.address = expander.expandCodeFor(slot.start, build.getPtrTy(), before);
    slot.distance = expander.expandCodeFor(slot.step, build.getInt64Ty(), before);
  }
  const SCEV *count = scev.getBackedgeTakenCount(loop_);
  Value *trip = build.CreateAdd(
      build.CreateZExt(expander.expandCodeFor(count, count->getType(), before), build.getInt64Ty()),
      build.getInt64(1)); // 2^64 becomes 0: no blocks.
  build.SetInsertPoint(own_.first->getNextNode());
  localId_ = build.CreateZExt(build.CreateCall(calls.localId()), build.getInt64Ty());
  localCount_ = build.CreateZExt(build.CreateCall(calls.localCount()), build.getInt64Ty());
  array_ = build.CreateCall(calls.localArray(), build.getInt32(blockCount_ * recordBytes_));
  return trip;
}

/// Whether the loop is short enough to be unrolled whatever the targets think of it.
bool StagedLoads::isUnrolled() const {
  unsigned instructions = 0;
  for (const BasicBlock *block : loop_->blocks()) {
    for (const Instruction &inst : *block) {
      const auto *call = dyn_cast<CallInst>(&inst);
      if (call && isMathCall(*call)) {
        return false;
      }
      instructions += isa<PHINode, GetElementPtrInst>(inst) ? 0 : 1;
    }
  }
  return instructions <= kMostInstructions;
}

/// Puts the loop over whole blocks in front of the inner loop, which goes on where that ends.
void StagedLoads::addBlocks() {
  LLVMContext &context = kernel_.getContext();
  BasicBlock *preheader = loop_->getLoopPreheader();
  BasicBlock *header = loop_->getHeader();
  BasicBlock *latch = loop_->getLoopLatch();
  BasicBlock *exit = loop_->getUniqueExitBlock();
  Value *trip = prepare();
  const auto create = [&](const Twine &name) {
    return BasicBlock::Create(context, name, &kernel_, header);
  };
  BasicBlock *block = create("block");
  ValueToValueMapTy map;
  IRBuilder<> build(block);
  PHINode *done = build.CreatePHI(build.getInt64Ty(), 2, "done");
  SmallVector<std::pair<PHINode *, PHINode *>, 4> carried; // Of the loop, and of blocks.
  for (PHINode &phi : header->phis()) {
    carried.push_back({&phi, build.CreatePHI(phi.getType(), 2)});
  }
  BasicBlock *filled = fillArray(block, done);

  SmallVector<BasicBlock *, 8> body;
  for (BasicBlock *original : loop_->blocks()) {
    body.push_back(CloneBasicBlock(original, map, ".staged", &kernel_));
    body.back()->moveBefore(header);
    map[original] = body.back();
  }
  remapInstructionsInBlocks(body, map);
  auto *start = cast<BasicBlock>(mapped(map, header));
  auto *again = cast<BasicBlock>(mapped(map, latch));
  BasicBlock *behind = create("staged");
  BasicBlock *rest = create("rest");
  build.SetInsertPoint(filled);
  build.CreateBr(start);
  build.SetInsertPoint(start, start->begin());
  PHINode *at = build.CreatePHI(build.getInt64Ty(), 2);
  again->getTerminator()->eraseFromParent();
  build.SetInsertPoint(again);
  Value *next = build.CreateNUWAdd(at, build.getInt64(1));
  BranchInst *back =
      build.CreateCondBr(build.CreateICmpNE(next, build.getInt64(blockCount_)), start, behind);
  if (isUnrolled()) {
    back->setMetadata(LLVMContext::MD_loop, unrolled(context, kUnrolled));
  }
  at->addIncoming(build.getInt64(0), filled);
  at->addIncoming(next, again);
  for (const Slot &slot : slots_) {
    for (LoadInst *load : slot.loads) {
      auto *copy = cast<LoadInst>(mapped(map, load));
      build.SetInsertPoint(copy);
      Value *staged =
          build.CreateAlignedLoad(load->getType(), element(build, slot, at), alignment(slot));
      copy->replaceAllUsesWith(staged);
      copy->eraseFromParent();
      map[load] = staged;
    }
  }

  build.SetInsertPoint(behind);
  Value *whole = BinaryOperator::CreateAnd(trip, build.getInt64(~(blockCount_ - 1)), "whole",
                                           preheader->getTerminator()->getIterator());
  Value *all = build.CreateNUWAdd(done, build.getInt64(blockCount_));
  BasicBlock *end = create("end");
  build.CreateCondBr(build.CreateICmpULT(all, whole), block, end);
  build.SetInsertPoint(end);
  build.CreateCondBr(build.CreateICmpULT(whole, trip), rest, exit);
  done->addIncoming(build.getInt64(0), preheader);
  done->addIncoming(all, behind);
  build.SetInsertPoint(rest);
  for (auto [phi, ofBlocks] : carried) {
    Value *before = phi->getIncomingValueForBlock(preheader);
    Value *after = mapped(map, phi->getIncomingValueForBlock(latch));
    ofBlocks->addIncoming(before, preheader);
    ofBlocks->addIncoming(after, behind);
    auto *copy = cast<PHINode>(mapped(map, phi));
    copy->setIncomingValueForBlock(preheader, ofBlocks);
    copy->replaceIncomingBlockWith(preheader, filled);
    PHINode *ofRest = build.CreatePHI(phi->getType(), 2);
    ofRest->addIncoming(before, preheader);
    ofRest->addIncoming(after, end);
    phi->setIncomingValueForBlock(preheader, ofRest);
    phi->replaceIncomingBlockWith(preheader, rest);
  }
  build.CreateBr(header);
  for (PHINode &phi : exit->phis()) {
    phi.addIncoming(mapped(map, phi.getIncomingValueForBlock(latch)), end);
  }
  preheader->getTerminator()->eraseFromParent();
  build.SetInsertPoint(preheader);
  build.CreateCondBr(build.CreateIsNotNull(whole), block, rest);
}

/// Makes the own loop run as often for all items of a group. Whether the item has an iteration.
Value *StagedLoads::shareIterations() {
  IRBuilder<> build(cast<Instruction>(localId_)->getNextNode());
  Value *base = build.CreateSub(own_.first, localId_, "base");
  own_.guard->setOperand(0, base);
  own_.counter->setIncomingValueForBlock(own_.preheader, base);
  build.SetInsertPoint(own_.preheader->getTerminator());
  Value *last = build.CreateSub(own_.trip, build.getInt64(1), "last");
  build.SetInsertPoint(&*own_.header->getFirstInsertionPt());
  Value *own = build.CreateNSWAdd(own_.counter, localId_, "own");
  Value *exists = build.CreateICmpSLT(own, own_.trip, "exists");
  Value *taken = build.CreateSelect(exists, own, last, "k");
  own_.counter->replaceUsesWithIf(taken, [&](Use &use) {
    return use.getUser() != own && use.getUser() != own_.next && use.getUser() != taken;
  });
  return exists;
}

/// Puts what comes behind `end_`, up to the next iteration, under the condition `exists`.
void StagedLoads::guardEffects(Value *exists) {
  BasicBlock *rest = SplitBlock(end_, end_->getFirstInsertionPt());
  BasicBlock *latch = own_.latch == end_ ? rest : own_.latch;
  BasicBlock *join = SplitBlock(latch, latch->getTerminator());
  own_.next->moveBefore(join->getTerminator());
  own_.again->moveBefore(join->getTerminator());
  IRBuilder<> build(end_->getTerminator());
  build.CreateCondBr(exists, rest, join);
  end_->getTerminator()->eraseFromParent();
  build.SetInsertPoint(join, join->begin());
  for (PHINode &phi : own_.header->phis()) {
    Value *next = phi.getIncomingValueForBlock(join);
    if (&phi == own_.counter || next == &phi) {
      continue;
    }
    PHINode *kept = build.CreatePHI(phi.getType(), 2);
    kept->addIncoming(next, latch);
    kept->addIncoming(&phi, end_);
    phi.setIncomingValueForBlock(join, kept);
    for (PHINode &left : own_.exit->phis()) {
      if (left.getIncomingValueForBlock(join) == next) {
        left.setIncomingValueForBlock(join, kept);
      }
    }
  }
}

void StagedLoads::stage() {
  addBlocks();
  guardEffects(shareIterations());
}

PreservedAnalyses StageLoadsPass::run(Function &kernel, FunctionAnalysisManager &analyses) {
  auto &remarks = analyses.getResult<OptimizationRemarkEmitterAnalysis>(kernel);
  BasicBlock *entry = &kernel.getEntryBlock();
  StagedLoads staged(kernel, analyses);
  if (const std::string reason = staged.analyse(); !reason.empty()) {
    remarks.emit([&] {
      return OptimizationRemarkMissed(DEBUG_TYPE, "NotStaged", DebugLoc(), entry)
             << kernel.getName() << ": " << reason;
    });
    return PreservedAnalyses::all();
  }
  remarks.emit([&] {
    return OptimizationRemark(DEBUG_TYPE, "Staged", DebugLoc(), entry)
           << kernel.getName() << ": staged"
           << (staged.needsDisjoint() ? ", if objects are disjoint" : "");
  });
  staged.stage();
  return PreservedAnalyses::none();
}

} // namespace tutti::compiler
