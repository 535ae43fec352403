// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/loop_phases.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SimpleLoopUnswitch.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Of an inner loop; unswitching leaves longer ones as they are.
constexpr std::size_t kMostInstructions = 40;

/// What is computed of the loop's bounds.
constexpr unsigned kMostExpanded = 4;

/// A condition that is the other way round from some iteration on.
struct Phases {
  BranchInst *branch = nullptr;
  ICmpInst::Predicate predicate = ICmpInst::BAD_ICMP_PREDICATE; ///< <, which ceases, or >; of
  const SCEV *start = nullptr;                                  ///< this, plus the iteration,
  const SCEV *bound = nullptr;                                  ///< and this.
  const SCEV *last = nullptr;                                   ///< Iteration.
};

/// Whether the loop could become one of vectors if it had no conditions.
bool mayBeVectors(const Loop &loop) {
  std::size_t count = 0;
  for (const BasicBlock *block : loop.blocks()) {
    count += block->sizeWithoutDebug();
    for (const Instruction &inst : *block) {
      const auto *load = dyn_cast<LoadInst>(&inst);
      const auto *store = dyn_cast<StoreInst>(&inst);
      const auto *call = dyn_cast<CallBase>(&inst);
      const bool isSimple = (load && load->isSimple()) || (store && store->isSimple());
      if ((!isSimple && inst.mayReadOrWriteMemory()) ||
          !isGuaranteedToTransferExecutionToSuccessor(&inst) || (call && call->isConvergent())) {
        return false;
      }
    }
  }
  return count <= kMostInstructions && loop.isSafeToClone();
}

/// Whether one side of `branch` accesses memory that the other one does not.
bool guardsAccess(const BranchInst &branch, const Loop &loop) {
  return any_of(branch.successors(), [&](const BasicBlock *side) {
    return loop.contains(side) && side->getSinglePredecessor() == branch.getParent() &&
           side != loop.getLoopLatch() &&
           any_of(*side, [](const Instruction &inst) { return inst.mayReadOrWriteMemory(); });
  });
}

/// Branches of each iteration that could be what divides the loop, by their form. None in loops
/// within others: such a loop may be short, and what is computed before it cost more than it
/// spares.
SmallVector<BranchInst *, 2> branchesOf(const Loop &loop, const DominatorTree &tree) {
  const BasicBlock *latch = loop.getLoopLatch();
  SmallVector<BranchInst *, 2> branches;
  if (!loop.isInnermost() || !loop.isOutermost() || !latch || loop.getExitingBlock() != latch ||
      !isa<BranchInst>(latch->getTerminator())) {
    return branches;
  }
  for (BasicBlock *block : loop.blocks()) {
    auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    if (!branch || !branch->isConditional() || block == latch || !guardsAccess(*branch, loop)) {
      continue;
    }
    const auto *condition = dyn_cast<ICmpInst>(branch->getCondition());
    // What the condition compares is not poison, as every iteration asks for it.
    if (condition && condition->isRelational() &&
        condition->getOperand(0)->getType()->isIntegerTy() && tree.dominates(block, latch)) {
      branches.push_back(branch);
    }
  }
  return !branches.empty() && mayBeVectors(loop) ? branches : SmallVector<BranchInst *, 2>();
}

/// Fills in what the condition of `branch` compares, if it changes once.
bool compares(BranchInst &branch, const Loop &loop, ScalarEvolution &scev, Phases &phases) {
  const auto *condition = cast<ICmpInst>(branch.getCondition());
  ICmpInst::Predicate predicate = condition->getPredicate();
  const SCEV *left = scev.getSCEV(condition->getOperand(0));
  const SCEV *right = scev.getSCEV(condition->getOperand(1));
  if (scev.isLoopInvariant(left, &loop)) {
    std::swap(left, right);
    predicate = ICmpInst::getSwappedPredicate(predicate);
  }
  const auto *counter = dyn_cast<SCEVAddRecExpr>(left);
  if (!counter || counter->getLoop() != &loop || !counter->isAffine() ||
      !counter->getStepRecurrence(scev)->isOne() || !scev.isLoopInvariant(right, &loop) ||
      ICmpInst::isNonStrictPredicate(predicate) ||
      !(ICmpInst::isUnsigned(predicate) ? counter->hasNoUnsignedWrap()
                                        : counter->hasNoSignedWrap())) {
    return false;
  }
  phases.branch = &branch;
  phases.predicate = predicate;
  phases.start = counter->getStart();
  phases.bound = right;
  return true;
}

/// The loop's phases; no branch if it has none.
Phases phasesOf(const Loop &loop, ScalarEvolution &scev, const DominatorTree &tree,
                const TargetTransformInfo &target) {
  const BasicBlock *preheader = loop.getLoopPreheader();
  const SmallVector<BranchInst *, 2> branches = branchesOf(loop, tree);
  if (!preheader || branches.empty()) {
    return {};
  }
  Phases phases;
  phases.last = scev.getBackedgeTakenCount(&loop);
  if (isa<SCEVCouldNotCompute>(phases.last) || !phases.last->getType()->isIntegerTy()) {
    return {};
  }
  SCEVExpander expander(scev, preheader->getModule()->getDataLayout(), "phases");
  const Instruction *at = preheader->getTerminator();
  for (BranchInst *branch : branches) {
    if (!compares(*branch, loop, scev, phases)) {
      continue;
    }
    const SCEV *const all[] = {phases.start, phases.bound, phases.last};
    if (all_of(all, [&](const SCEV *each) { return expander.isSafeToExpandAt(each, at); }) &&
        !expander.isHighCostExpansion(all, const_cast<Loop *>(&loop), kMostExpanded, &target, at)) {
      return phases;
    }
  }
  return {};
}

/// What the phases are computed from, in front of the loop.
struct Bounds {
  Value *start = nullptr;
  Value *bound = nullptr;
  Value *last = nullptr;
};

Bounds expand(const Loop &loop, const Phases &phases, ScalarEvolution &scev) {
  Instruction *at = loop.getLoopPreheader()->getTerminator();
  SCEVExpander expander(scev, at->getModule()->getDataLayout(), "phases");
  const auto valueOf = [&](const SCEV *closed) {
    return expander.expandCodeFor(closed, closed->getType(), at);
  };
  return {valueOf(phases.start), valueOf(phases.bound), valueOf(phases.last)};
}

/// Puts the outer loop around `loop`. Returns the condition, which changes with its iterations
/// alone.
Value *divide(const Loop &loop, const Phases &phases, const Bounds &bounds) {
  BasicBlock *preheader = loop.getLoopPreheader();
  BasicBlock *header = loop.getHeader();
  BasicBlock *latch = loop.getLoopLatch();
  BasicBlock *exit = loop.getExitBlock();
  LLVMContext &context = header->getContext();

  // How long the first phase is: nothing of this wraps, as it is not used where it would. With >
  // the bound itself belongs to it.
  Instruction *at = preheader->getTerminator();
  const auto [start, bound, lastOfLoop] = bounds;
  IRBuilder<> builder(at);
  Type *type = start->getType()->getIntegerBitWidth() > lastOfLoop->getType()->getIntegerBitWidth()
                   ? start->getType()
                   : lastOfLoop->getType();
  Value *last = builder.CreateZExt(lastOfLoop, type);
  const bool ceases = ICmpInst::isLT(phases.predicate);
  Value *holds = builder.CreateICmp(phases.predicate, start, bound, "phases.holds");
  Value *distance = builder.CreateSub(bound, start);
  if (ceases) {
    distance = builder.CreateSub(distance, ConstantInt::get(start->getType(), 1));
  }
  Value *lastOfFirst =
      builder.CreateBinaryIntrinsic(Intrinsic::umin, builder.CreateZExt(distance, type), last);
  Value *firstLimit = builder.CreateSelect(holds, ceases ? lastOfFirst : last,
                                           ceases ? last : lastOfFirst, "phases.limit");

  // The outer loop goes on where the inner one has ended.
  BasicBlock *outer = BasicBlock::Create(context, "phase", header->getParent(), header);
  BasicBlock *end = BasicBlock::Create(context, "phase.end", header->getParent(), exit);
  builder.SetInsertPoint(outer);
  PHINode *from = builder.CreatePHI(type, 2, "phase.from");
  PHINode *limit = builder.CreatePHI(type, 2, "phase.limit");
  PHINode *now = builder.CreatePHI(builder.getInt1Ty(), 2, "phase.holds");
  for (PHINode &phi : header->phis()) {
    PHINode *carried = builder.CreatePHI(phi.getType(), 2, phi.getName() + ".phase");
    carried->addIncoming(phi.getIncomingValueForBlock(preheader), preheader);
    carried->addIncoming(phi.getIncomingValueForBlock(latch), end);
    const int index = phi.getBasicBlockIndex(preheader);
    phi.setIncomingValue(static_cast<unsigned>(index), carried);
    phi.setIncomingBlock(static_cast<unsigned>(index), outer);
  }
  builder.CreateBr(header);
  at->replaceSuccessorWith(header, outer);

  builder.SetInsertPoint(header, header->begin());
  PHINode *iteration = builder.CreatePHI(type, 2, "phase.iteration");
  auto *again = cast<BranchInst>(latch->getTerminator());
  builder.SetInsertPoint(again);
  Value *next = builder.CreateAdd(iteration, ConstantInt::get(type, 1), "phase.next");
  BranchInst *branch = builder.CreateCondBr(builder.CreateICmpEQ(iteration, limit), end, header);
  if (MDNode *node = again->getMetadata(LLVMContext::MD_loop)) {
    branch->setMetadata(LLVMContext::MD_loop, node);
  }
  branch->setDebugLoc(again->getDebugLoc());
  again->eraseFromParent();
  iteration->addIncoming(from, outer);
  iteration->addIncoming(next, latch);

  builder.SetInsertPoint(end);
  builder.CreateCondBr(builder.CreateICmpEQ(limit, last), exit, outer);
  exit->replacePhiUsesWith(latch, end);
  from->addIncoming(ConstantInt::get(type, 0), preheader);
  from->addIncoming(next, end);
  limit->addIncoming(firstLimit, preheader);
  limit->addIncoming(last, end);
  now->addIncoming(holds, preheader);
  now->addIncoming(builder.getInt1(!ceases), end);
  phases.branch->setCondition(now);
  phases.branch->setMetadata(LLVMContext::MD_prof, nullptr);
  return now;
}

/// Unswitches loops that were divided, and no others: those that ask for `conditions`, as copies of
/// them do that other conditions have led to.
class UnswitchDividedPass : public PassInfoMixin<UnswitchDividedPass> {
public:
  explicit UnswitchDividedPass(SmallPtrSet<Value *, 4> conditions)
      : conditions_(std::move(conditions)) {}

  PreservedAnalyses run(Loop &loop, LoopAnalysisManager &analyses,
                        LoopStandardAnalysisResults &results, LPMUpdater &updater) {
    return loop.isInnermost() && any_of(loop.blocks(),
                                        [&](const BasicBlock *block) {
                                          const auto *branch =
                                              dyn_cast<BranchInst>(block->getTerminator());
                                          return branch && branch->isConditional() &&
                                                 conditions_.contains(branch->getCondition());
                                        })
               ? SimpleLoopUnswitchPass(/*NonTrivial=*/true).run(loop, analyses, results, updater)
               : PreservedAnalyses::all();
  }

private:
  SmallPtrSet<Value *, 4> conditions_;
};

} // namespace

PreservedAnalyses LoopPhasesPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (function.hasOptSize()) {
    return PreservedAnalyses::all();
  }
  const auto &loops = analyses.getResult<LoopAnalysis>(function);
  const auto &tree = analyses.getResult<DominatorTreeAnalysis>(function);
  if (none_of(loops.getLoopsInPreorder(),
              [&](const Loop *loop) { return !branchesOf(*loop, tree).empty(); })) {
    return PreservedAnalyses::all();
  }
  // Preheaders and exits of their own, which vectorisation makes anyway.
  const PreservedAnalyses simplified = LoopSimplifyPass().run(function, analyses);
  analyses.invalidate(function, simplified);
  auto &scev = analyses.getResult<ScalarEvolutionAnalysis>(function);
  const auto &target = analyses.getResult<TargetIRAnalysis>(function);
  SmallVector<std::pair<const Loop *, Phases>, 4> divided;
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    if (const Phases phases = phasesOf(*loop, scev, tree, target); phases.branch) {
      divided.emplace_back(loop, phases);
    }
  }
  if (divided.empty()) {
    return simplified;
  }
  // Before any of them changes: a loop may start where another one has stopped, which may get a
  // counter for that, and it has to go on through the phases of that loop.
  SmallVector<Bounds, 4> bounds;
  for (const auto &[loop, phases] : divided) {
    bounds.push_back(expand(*loop, phases, scev));
  }
  // Blocks that are added to one loop change nothing that is known of another one.
  SmallPtrSet<Value *, 4> conditions;
  for (const auto &[each, boundsOfEach] : zip_equal(divided, bounds)) {
    conditions.insert(divide(*each.first, each.second, boundsOfEach));
  }
  analyses.invalidate(function, PreservedAnalyses::none());
  createFunctionToLoopPassAdaptor(UnswitchDividedPass(std::move(conditions)))
      .run(function, analyses);
  return PreservedAnalyses::none();
}

} // namespace tutti::compiler
