// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/shared_loads.h"

#include "compiler/analysis/kernel_objects.h"
#include "compiler/ir/kernel.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tutti::compiler {

namespace {

// Measured on H200 (bench/results/kernels-2026-11-21.md).
constexpr std::uint64_t kMostIterations = 128; ///< Of a block.
constexpr std::uint64_t kMostBytes = 4096;
constexpr std::uint64_t kLeastIterations = 32;
constexpr unsigned kMostInstructions = 40; ///< Of a loop that is short.

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

class Finder {
public:
  Finder(Function &kernel, FunctionAnalysisManager &analyses)
      : kernel_(kernel), analyses_(analyses) {}

  SharedLoads run();

private:
  bool findOwnLoop();
  std::string analyseLoop(Loop &loop);
  std::string findElements();
  void layOut();
  std::string checkWork() const;
  bool mayChange(const LoadInst &load, const StoreInst &store);
  bool onlyComputes(const LoadInst &load);
  std::string checkEffects();
  bool isUniform(const Value &value) const;
  bool isUniform(const SCEV &expression) const;
  bool isReachedByAll(BasicBlock &block);
  BasicBlock *findEnd();
  bool isShort() const;

  Function &kernel_;
  FunctionAnalysisManager &analyses_;
  SharedLoads found_;
};

bool Finder::findOwnLoop() {
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
      found_.own = {loop,
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
            compare->getOperand(0) == first && compare->getOperand(1) == found_.own.trip &&
            !loop->contains(compare)) {
          found_.own.guard = compare;
        }
      }
      return found_.own.guard && isUniform(*found_.own.trip);
    }
  }
  return false;
}

/// Whether all work-items of a group compute the same.
bool Finder::isUniform(const Value &value) const {
  SmallPtrSet<const Value *, 16> seen;
  SmallVector<const Value *, 16> work{&value};
  while (!work.empty()) {
    const Value *part = work.pop_back_val();
    if (isa<Constant, Argument>(part) || part == found_.own.guard || !seen.insert(part).second) {
      continue; // The guard becomes one of the whole group.
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

bool Finder::isUniform(const SCEV &expression) const {
  return !SCEVExprContains(&expression, [this](const SCEV *part) {
    const auto *unknown = dyn_cast<SCEVUnknown>(part);
    return isa<SCEVAddRecExpr, SCEVCouldNotCompute>(part) ||
           (unknown && !isUniform(*unknown->getValue()));
  });
}

/// Whether all work-items of a group get to `block` in each of the group's iterations, or none: it
/// is under conditions that are the same for all of them.
bool Finder::isReachedByAll(BasicBlock &block) {
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
      if (!decides || &from == found_.own.latch) {
        continue; // All items of a group will pass it equally often.
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
std::string Finder::findElements() {
  auto &scev = analyses_.getResult<ScalarEvolutionAnalysis>(kernel_);
  const auto &dominators = analyses_.getResult<DominatorTreeAnalysis>(kernel_);
  SCEVExpander expander(scev, kernel_.getDataLayout(), "stage");
  const Instruction *before = found_.loop->getLoopPreheader()->getTerminator();
  found_.elements.clear();
  for (BasicBlock *block : found_.loop->blocks()) {
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
      if (!isNumber || !load->isSimple() ||
          !isa<IntToPtrInst>(getUnderlyingObject(load->getPointerOperand(), 0)) || !address ||
          address->getLoop() != found_.loop || !address->isAffine() ||
          !isUniform(*address->getStart()) || !isUniform(*address->getOperand(1))) {
        return "its inner loop loads what differs between work-items";
      }
      if (!dominators.dominates(block, found_.loop->getLoopLatch())) {
        return "its inner loop loads under a condition";
      }
      if (!expander.isSafeToExpandAt(address->getStart(), before) ||
          !expander.isSafeToExpandAt(address->getOperand(1), before)) {
        return "its inner loop has a form that cannot be staged";
      }
      auto *known = find_if(found_.elements, [&](const SharedElement &element) {
        return element.start == address->getStart() && element.step == address->getOperand(1) &&
               element.loads.front()->getType() == type;
      });
      if (known == found_.elements.end()) {
        found_.elements.push_back({address->getStart(), address->getOperand(1), {load}});
      } else {
        known->loads.push_back(load);
      }
    }
  }
  return found_.elements.empty() ? "its inner loop loads nothing" : "";
}

/// In local memory as in memory, where that is known: neighbours can be loaded at once.
void Finder::layOut() {
  auto &scev = analyses_.getResult<ScalarEvolutionAnalysis>(kernel_);
  SmallVector<std::pair<std::int64_t, SharedElement *>, 4> order;
  for (SharedElement &element : found_.elements) {
    const auto *distance =
        dyn_cast<SCEVConstant>(scev.getMinusSCEV(element.start, found_.elements.front().start));
    order.push_back(
        {distance ? distance->getAPInt().getSExtValue() : std::numeric_limits<std::int64_t>::max(),
         &element});
  }
  sort(order);
  found_.recordBytes = 0;
  for (auto [distance, element] : order) {
    const std::uint64_t bytes =
        kernel_.getDataLayout().getTypeStoreSize(element->loads[0]->getType());
    element->offset = alignTo(found_.recordBytes, bytes);
    found_.recordBytes = element->offset + bytes;
  }
  found_.recordBytes = found_.recordBytes < SharedLoads::kAlignment
                           ? PowerOf2Ceil(found_.recordBytes)
                           : alignTo(found_.recordBytes, SharedLoads::kAlignment);
  found_.blockCount = std::min(kMostIterations, bit_floor(kMostBytes / found_.recordBytes));
}

/// Whether a load may read what a store of another work-item, or of another iteration, writes.
bool Finder::mayChange(const LoadInst &load, const StoreInst &store) {
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
  found_.needsDisjoint = true;
  return false;
}

/// The first block behind the inner loop that each iteration gets to.
BasicBlock *Finder::findEnd() {
  const auto &after = analyses_.getResult<PostDominatorTreeAnalysis>(kernel_);
  const auto &dominators = analyses_.getResult<DominatorTreeAnalysis>(kernel_);
  const auto &loops = analyses_.getResult<LoopAnalysis>(kernel_);
  for (const auto *node = after.getNode(found_.loop->getUniqueExitBlock()); node;
       node = node->getIDom()) {
    BasicBlock *block = node->getBlock();
    if (block && loops.getLoopFor(block) == found_.own.loop &&
        dominators.dominates(block, found_.own.latch)) {
      return block;
    }
  }
  return nullptr;
}

/// Whether an item without an iteration may load what the item whose iteration it repeats writes
/// meanwhile: before `found_.end`, nothing but values depends on it.
bool Finder::onlyComputes(const LoadInst &load) {
  const auto &dominators = analyses_.getResult<DominatorTreeAnalysis>(kernel_);
  SmallPtrSet<const Instruction *, 16> seen{&load};
  SmallVector<const Instruction *, 16> work{&load};
  while (!work.empty()) {
    for (const User *user : work.pop_back_val()->users()) {
      const auto *inst = cast<Instruction>(user);
      if (!found_.own.loop->contains(inst) || dominators.dominates(found_.end, inst->getParent()) ||
          !seen.insert(inst).second) {
        continue;
      }
      const bool decides = inst->isTerminator() && !found_.loop->contains(inst);
      if (decides || isa<LoadInst>(inst) || inst->isIntDivRem()) {
        return false;
      }
      work.push_back(inst);
    }
  }
  return true;
}

/// Items without an iteration execute what comes before `found_.end`, and nothing behind it.
std::string Finder::checkEffects() {
  const auto &dominators = analyses_.getResult<DominatorTreeAnalysis>(kernel_);
  SmallVector<const LoadInst *, 8> loads;
  SmallVector<const StoreInst *, 8> stores;
  for (Instruction &inst : instructions(kernel_)) {
    const auto *store = dyn_cast<StoreInst>(&inst);
    if (store && !isOwnMemory(store->getPointerOperand())) {
      stores.push_back(store);
    }
    if (!found_.own.loop->contains(&inst)) {
      continue;
    }
    const bool isBehind = dominators.dominates(found_.end, inst.getParent());
    if (hasEffect(inst) && !isBehind) {
      return "it writes in front of its inner loop";
    }
    if (hasEffect(inst) && !store) {
      return "it writes in another way than by stores";
    }
    const auto *load = dyn_cast<LoadInst>(&inst);
    if (load && !isBehind && !isOwnMemory(load->getPointerOperand()) &&
        (found_.loop->contains(load) || !onlyComputes(*load))) {
      loads.push_back(load);
    }
  }
  for (const LoadInst *load : loads) {
    if (any_of(stores, [&](const StoreInst *store) { return mayChange(*load, *store); })) {
      return "it may write what it reads before";
    }
  }
  for (const PHINode &phi : found_.own.exit->phis()) {
    const Value *left = phi.getIncomingValueForBlock(found_.own.latch);
    const auto *inst = dyn_cast<Instruction>(left);
    const bool isSum = any_of(found_.own.header->phis(), [&](const PHINode &carried) {
      return &carried != found_.own.counter &&
             carried.getIncomingValueForBlock(found_.own.latch) == left;
    });
    if (inst && found_.own.loop->contains(inst) && !isSum) {
      return "it leaves a value of its last iteration behind";
    }
  }
  return {};
}

/// Whether the loop is worth barriers.
std::string Finder::checkWork() const {
  if (found_.blockCount < kLeastIterations) {
    return "its inner loop loads too much at once";
  }
  auto &scev = analyses_.getResult<ScalarEvolutionAnalysis>(kernel_);
  const unsigned trip = scev.getSmallConstantMaxTripCount(found_.loop);
  if (trip > 0 && trip < 2 * found_.blockCount) {
    return "its inner loop is short";
  }
  return {};
}

std::string Finder::analyseLoop(Loop &loop) {
  auto &scev = analyses_.getResult<ScalarEvolutionAnalysis>(kernel_);
  found_.loop = &loop;
  found_.needsDisjoint = false;
  if (!canBeBlocked(loop)) {
    return "its inner loop has a form that cannot be staged";
  }
  const SCEV *count = scev.getBackedgeTakenCount(&loop);
  SCEVExpander expander(scev, kernel_.getDataLayout(), "stage");
  if (!isUniform(*count) || scev.getTypeSizeInBits(count->getType()) > 64 ||
      !expander.isSafeToExpandAt(count, loop.getLoopPreheader()->getTerminator())) {
    return "its inner loop's bounds may differ between work-items";
  }
  if (!isReachedByAll(*loop.getLoopPreheader())) {
    return "not all work-items may reach its inner loop";
  }
  if (std::string reason = findElements(); !reason.empty()) {
    return reason;
  }
  layOut();
  if (std::string reason = checkWork(); !reason.empty()) {
    return reason;
  }
  found_.end = findEnd();
  return found_.end ? checkEffects() : "its inner loop has a form that cannot be staged";
}

/// Whether the loop is worth being unrolled, whatever targets think of it.
bool Finder::isShort() const {
  unsigned instructions = 0;
  for (const BasicBlock *block : found_.loop->blocks()) {
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

SharedLoads Finder::run() {
  found_.reason = "its loop has a form that cannot be staged";
  if (!findOwnLoop()) {
    return std::move(found_);
  }
  found_.reason = "it has no innermost loop";
  for (Loop *inner : reverse(found_.own.loop->getSubLoops())) { // Which are in reverse order.
    if (!inner->isInnermost()) {
      continue;
    }
    found_.reason = analyseLoop(*inner);
    if (found_.reason.empty()) {
      found_.isShort = isShort();
      break;
    }
  }
  return std::move(found_);
}

} // namespace

bool canBeBlocked(const Loop &loop) {
  const BasicBlock *latch = loop.getLoopLatch();
  const BasicBlock *exit = loop.getUniqueExitBlock();
  return loop.getLoopPreheader() && latch && exit && loop.getExitingBlock() == latch &&
         exit->getUniquePredecessor() == latch && isa<BranchInst>(latch->getTerminator());
}

SharedLoads findSharedLoads(Function &kernel, FunctionAnalysisManager &analyses) {
  return Finder(kernel, analyses).run();
}

} // namespace tutti::compiler
