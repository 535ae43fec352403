// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/dealt_loops.h"

#include "compiler/analysis/loop_survey.h"
#include "compiler/ir/kernel.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

#include <vector>

using namespace llvm;

namespace tutti::compiler {

namespace {

/// With fewer iterations a group's work-items, which access memory together, find too little to do.
constexpr unsigned kShortest = 32;

/// Iterations of a loop that all work-items of a group execute, beside dealt ones.
constexpr unsigned kMostRepeated = 16;

/// What is executed between two places where barriers may stand, and by whom.
struct Step {
  enum class By { All, One, Dealt };
  By by;
  Instruction *before; ///< Where a barrier in front of it would stand.
  SmallVector<const KernelAccess *, 2> accesses;
  bool hasBarrier = false;
};

/// Puts barriers between what one work-item writes and others touch.
///
/// Iterations of the chunk's loop need none between them: they touch different memory.
class Barriers {
public:
  Barriers(Loop &chunk, LoopInfo &loops, const DominatorTree &dominators,
           ArrayRef<KernelAccess> accesses)
      : dominators_(dominators), latch_(chunk.getLoopLatch()), header_(chunk.getHeader()) {
    for (const KernelAccess &access : accesses) {
      accessesOf_[access.instruction].push_back(&access);
    }
    LoopBlocksDFS order(&chunk);
    order.perform(&loops);
    blocks_.assign(order.beginRPO(), order.endRPO());
  }

  /// A loop that is one step, of whomever.
  void addLoop(Loop &loop, Step::By by) {
    Step step{by, loop.getLoopPreheader()->getTerminator(), {}};
    for (const BasicBlock *block : loop.blocks()) {
      for (const Instruction &inst : *block) {
        append_range(step.accesses, accessesOf_.lookup(&inst));
      }
      isInside_.insert(block);
    }
    whole_[loop.getLoopPreheader()] = {&loop, std::move(step)};
  }

  SmallVector<Instruction *, 4> find() {
    addSteps();
    SmallVector<Instruction *, 4> found;
    while (Step *late = firstWithout()) {
      late->hasBarrier = true;
      found.push_back(late->before);
    }
    closeConditions(found);
    return found;
  }

private:
  struct Whole {
    Loop *loop = nullptr;
    Step step;
  };

  void addSteps();
  SmallVector<BasicBlock *, 4> next(BasicBlock *block) const;
  Step *firstWithout();
  bool isUnordered(const Step &one, const Step &other) const;
  void pass(const BasicBlock *block, BitVector &pending) const;
  void closeConditions(SmallVectorImpl<Instruction *> &found) const;

  bool isConditional(const Instruction *place) const {
    return !dominators_.dominates(place->getParent(), latch_);
  }

  const DominatorTree &dominators_;
  const BasicBlock *latch_;
  const BasicBlock *header_;
  SmallVector<BasicBlock *, 16> blocks_;
  DenseMap<const Instruction *, SmallVector<const KernelAccess *, 2>> accessesOf_;
  DenseMap<const BasicBlock *, Whole> whole_; ///< By preheader.
  SmallPtrSet<const BasicBlock *, 16> isInside_;
  std::vector<Step> steps_;
  DenseMap<const BasicBlock *, std::pair<unsigned, unsigned>> stepsOf_; ///< From, up to.
};

void Barriers::addSteps() {
  for (BasicBlock *block : blocks_) {
    if (isInside_.contains(block)) {
      continue;
    }
    const unsigned first = steps_.size();
    for (Instruction &inst : *block) {
      const auto found = accessesOf_.find(&inst);
      if (found != accessesOf_.end()) {
        const Step::By by = inst.mayWriteToMemory() ? Step::By::One : Step::By::All;
        steps_.push_back({by, &inst, found->second});
      }
    }
    if (const auto loop = whole_.find(block); loop != whole_.end()) {
      steps_.push_back(loop->second.step);
    }
    stepsOf_[block] = {first, steps_.size()};
  }
}

/// Where control goes from `block` within an iteration of the chunk's loop, past loops of one step.
SmallVector<BasicBlock *, 4> Barriers::next(BasicBlock *block) const {
  SmallVector<BasicBlock *, 4> result;
  if (const auto loop = whole_.find(block); loop != whole_.end()) {
    loop->second.loop->getUniqueExitBlocks(result);
  } else {
    result.append(succ_begin(block), succ_end(block));
  }
  erase_if(result,
           [&](const BasicBlock *after) { return after == header_ || !stepsOf_.contains(after); });
  return result;
}

/// Whether work-items have to wait between `one` and `other`, which may be the same.
bool Barriers::isUnordered(const Step &one, const Step &other) const {
  const auto writes = [](const Step &step) {
    return any_of(step.accesses, [](const KernelAccess *access) { return access->writes; });
  };
  const bool isSameItem = one.by == Step::By::One && other.by == Step::By::One;
  return !isSameItem && !one.accesses.empty() && !other.accesses.empty() &&
         (writes(one) || writes(other));
}

/// Makes `pending` what may have been executed without a barrier since, behind `block`.
void Barriers::pass(const BasicBlock *block, BitVector &pending) const {
  const auto [first, end] = stepsOf_.lookup(block);
  for (unsigned index = first; index < end; ++index) {
    if (steps_[index].hasBarrier) {
      pending.reset();
    }
    pending.set(index);
  }
}

/// The first step that lacks a barrier, given those that there are; null if there is none.
Step *Barriers::firstWithout() {
  DenseMap<const BasicBlock *, BitVector> before;
  const BitVector none(steps_.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (BasicBlock *block : blocks_) {
      if (!stepsOf_.contains(block)) {
        continue;
      }
      BitVector pending = before.try_emplace(block, none).first->second;
      pass(block, pending);
      for (const BasicBlock *after : next(block)) {
        BitVector &known = before.try_emplace(after, none).first->second;
        BitVector all = known;
        all |= pending;
        changed = changed || all != known;
        known = std::move(all);
      }
    }
  }
  for (const BasicBlock *block : blocks_) {
    BitVector pending = stepsOf_.contains(block) ? before.lookup(block) : none;
    const auto [first, end] = stepsOf_.lookup(block);
    for (unsigned index = first; index < end; ++index) {
      Step &step = steps_[index];
      if (step.hasBarrier) {
        pending.reset();
      }
      for (const unsigned earlier : pending.set_bits()) {
        if (isUnordered(steps_[earlier], step)) {
          return &step;
        }
      }
      pending.set(index);
    }
  }
  return nullptr;
}

/// Where barriers are under a condition, what work-items do differently there ends with one, too:
/// PoCL 3.1 lets work-items without iterations take the others' way otherwise.
void Barriers::closeConditions(SmallVectorImpl<Instruction *> &found) const {
  if (none_of(found, [&](const Instruction *place) { return isConditional(place); })) {
    return;
  }
  for (const Step &step : steps_) {
    if (step.by == Step::By::All || !isConditional(step.before)) {
      continue;
    }
    const auto loop = whole_.find(step.before->getParent());
    const bool isLoop = step.by == Step::By::Dealt && loop != whole_.end();
    found.push_back(isLoop ? &*loop->second.loop->getUniqueExitBlock()->getFirstInsertionPt()
                           : step.before->getNextNode());
  }
}

class Finder {
public:
  Finder(Function &kernel, Loop &chunk, FunctionAnalysisManager &analyses)
      : chunk_(chunk), loops_(analyses.getResult<LoopAnalysis>(kernel)),
        scev_(analyses.getResult<ScalarEvolutionAnalysis>(kernel)),
        dominators_(analyses.getResult<DominatorTreeAnalysis>(kernel)),
        survey_(chunk, loops_, scev_, dominators_), conditions_(scev_) {}

  DealtLoops run() {
    found_.reason = survey_.run(SmallPtrSet<const Instruction *, 1>());
    const bool isFound = found_.reason.empty() && hasRightForm(chunk_) && divideInside(chunk_) &&
                         takeStores() && isWorthwhile();
    if (isFound) {
      orderSteps();
      found_.conditions.assign(conditions_.list().begin(), conditions_.list().end());
    }
    return std::move(found_);
  }

private:
  bool refuse(const Twine &reason) {
    found_.reason = reason.str();
    return false;
  }

  bool writes(const Loop &loop) const {
    return any_of(survey_.accesses(), [&](const KernelAccess &access) {
      return access.writes && loop.contains(access.loop);
    });
  }

  bool hasRightForm(const Loop &loop);
  bool passesNothingOn(const Loop &loop);
  bool isContiguousAlong(const Loop &loop);
  bool areIndependent(Loop &loop);
  bool addExtent(const Loop &loop);
  bool deals(Loop &loop);
  bool divideInside(const Loop &parent);
  bool takeStores();
  bool isWorthwhile();
  void orderSteps();

  Loop &chunk_;
  LoopInfo &loops_;
  ScalarEvolution &scev_;
  DominatorTree &dominators_;
  LoopSurvey survey_;
  LaunchConditions conditions_;
  SmallVector<Loop *, 2> repeated_; ///< Outermost loops that all work-items execute alike.
  DealtLoops found_;
};

bool Finder::hasRightForm(const Loop &loop) {
  if (!loop.getLoopPreheader() || !loop.getLoopLatch() ||
      loop.getExitingBlock() != loop.getLoopLatch()) {
    return refuse("an inner loop may be left early");
  }
  if (isa<SCEVCouldNotCompute>(scev_.getBackedgeTakenCount(&loop))) {
    return refuse("the number of iterations of an inner loop is not known before it");
  }
  for (PHINode &phi : loop.getHeader()->phis()) {
    const auto *recurrence =
        scev_.isSCEVable(phi.getType()) ? dyn_cast<SCEVAddRecExpr>(scev_.getSCEV(&phi)) : nullptr;
    if (!recurrence || recurrence->getLoop() != &loop || !recurrence->isAffine()) {
      return refuse("a loop carries a value from one iteration to the next");
    }
  }
  return true;
}

bool Finder::passesNothingOn(const Loop &loop) {
  for (const BasicBlock *block : loop.blocks()) {
    for (const Instruction &inst : *block) {
      if (any_of(inst.users(),
                 [&](const User *user) { return !loop.contains(cast<Instruction>(user)); })) {
        return refuse("a value of an inner loop's last iteration is used after it");
      }
    }
  }
  return true;
}

/// Whether neighbouring work-items of a group touch neighbouring memory, rather than those that
/// execute neighbouring iterations of the chunk's loop would.
bool Finder::isContiguousAlong(const Loop &loop) {
  unsigned inside = 0;
  unsigned around = 0;
  for (const KernelAccess &access : survey_.accesses()) {
    if (loop.contains(access.loop)) {
      inside += isContiguous(access, loop, scev_) ? 1 : 0;
      around += isContiguous(access, chunk_, scev_) ? 1 : 0;
    }
  }
  return inside > around || refuse("its inner loops do not go over contiguous memory");
}

/// Whether different iterations of `loop` touch different memory, for any fixed iteration of the
/// loops around it.
bool Finder::areIndependent(Loop &loop) {
  Loop *inner = &loop;
  LoopDependences dependences(*loop.getParentLoop(), inner, scev_, conditions_,
                              LoopDependences::Rows::Apart);
  for (const KernelAccess &store : survey_.accesses()) {
    if (!store.writes || !loop.contains(store.loop)) {
      continue;
    }
    for (const KernelAccess &other : survey_.accesses()) {
      if (loop.contains(other.loop) && !dependences.areIndependent(store, other)) {
        return refuse("iterations of an inner loop may touch the same memory");
      }
    }
  }
  found_.needsDisjoint = found_.needsDisjoint || dependences.needsDisjoint();
  return true;
}

bool Finder::addExtent(const Loop &loop) {
  const SCEV *taken = conditions_.mostTaken(loop);
  if (!taken) {
    return refuse("the number of iterations of an inner loop is not known at launch");
  }
  const SCEV *extent = scev_.getAddExpr(taken, scev_.getOne(taken->getType()));
  const SCEV *most = scev_.getConstant(taken->getType(), std::uint64_t{1} << 31);
  if (conditions_.atLeast(most, extent) == Truth::Never) {
    return refuse("an inner loop has too many iterations");
  }
  found_.extent = found_.extent ? scev_.getSMaxExpr(found_.extent, extent) : extent;
  return true;
}

/// Makes `loop` a dealt one, if possible.
bool Finder::deals(Loop &loop) {
  const std::size_t mark = conditions_.list().size();
  const bool neededDisjoint = found_.needsDisjoint;
  if (hasRightForm(loop) && passesNothingOn(loop) && isContiguousAlong(loop) &&
      (survey_.keepsTemporaries(loop) || refuse("an inner loop writes to a private array")) &&
      areIndependent(loop) && addExtent(loop)) {
    found_.loops.push_back(&loop);
    return true;
  }
  conditions_.truncate(mark);
  found_.needsDisjoint = neededDisjoint;
  return false;
}

/// Decides about the loops directly inside `parent`, which all work-items execute. The outermost
/// one that can be dealt is.
bool Finder::divideInside(const Loop &parent) {
  const std::size_t before = found_.loops.size();
  if (parent.isInnermost()) {
    return refuse("there is no loop inside");
  }
  for (Loop *loop : parent) {
    if (!loop->getLoopPreheader()) {
      return refuse("an inner loop has an unusual form");
    }
    if (!writes(*loop)) {
      const unsigned most = scev_.getSmallConstantMaxTripCount(loop);
      if (most == 0 || most > kMostRepeated) {
        return refuse("each work-item would repeat a long loop");
      }
      repeated_.push_back(loop);
    } else if (!deals(*loop)) {
      const std::string reason = found_.reason;
      if (loop->isInnermost() || !divideInside(*loop)) {
        found_.reason = loop->isInnermost() ? reason : found_.reason;
        return false;
      }
    }
  }
  found_.reason.clear();
  return found_.loops.size() > before || refuse("no inner loop writes anything");
}

/// What is written outside of the dealt loops, by stores alone.
bool Finder::takeStores() {
  for (const KernelAccess &access : survey_.accesses()) {
    const bool isDealt =
        any_of(found_.loops, [&](const Loop *loop) { return loop->contains(access.loop); });
    if (isDealt || !access.writes) {
      continue;
    }
    auto *store = dyn_cast<StoreInst>(access.instruction);
    if (!store) {
      return refuse("it copies or fills memory outside of its inner loops");
    }
    found_.stores.push_back(store);
  }
  return true;
}

bool Finder::isWorthwhile() {
  const SCEV *taken = conditions_.mostTaken(chunk_);
  const SCEV *shortest = scev_.getConstant(found_.extent->getType(), kShortest);
  if (!taken) {
    return refuse("its number of iterations is not known at launch");
  }
  found_.count = scev_.getAddExpr(taken, scev_.getOne(taken->getType()));
  return conditions_.atLeast(found_.extent, shortest) != Truth::Never ||
         refuse("its inner loops have few iterations");
}

void Finder::orderSteps() {
  Barriers barriers(chunk_, loops_, dominators_, survey_.accesses());
  for (Loop *loop : found_.loops) {
    barriers.addLoop(*loop, Step::By::Dealt);
  }
  for (Loop *loop : repeated_) {
    barriers.addLoop(*loop, Step::By::All);
  }
  found_.barriers = barriers.find();
}

} // namespace

DealtLoops findDealtLoops(Function &kernel, Loop &chunkLoop, FunctionAnalysisManager &analyses) {
  assert(kernel.arg_size() >= kernel::FirstCapture && "not in the form of a kernel");
  return Finder(kernel, chunkLoop, analyses).run();
}

PreservedAnalyses DealtLoopsPrinterPass::run(Module &module, ModuleAnalysisManager &analyses) {
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  for (Function &function : module) {
    if (function.isDeclaration() || function.arg_size() < kernel::FirstCapture) {
      continue;
    }
    for (Loop *loop : functions.getResult<LoopAnalysis>(function)) {
      const DealtLoops dealt = findDealtLoops(function, *loop, functions);
      errs() << "dealt loops of '" << function.getName() << "': ";
      if (!dealt.reason.empty()) {
        errs() << "none: " << dealt.reason << '\n';
        continue;
      }
      errs() << dealt.loops.size() << ", " << dealt.stores.size() << " stores, "
             << dealt.barriers.size() << " barriers"
             << (dealt.needsDisjoint ? ", objects disjoint\n" : "\n");
      errs() << "  extent " << *dealt.extent << '\n';
      for (const Instruction *place : dealt.barriers) {
        errs() << "  barrier in front of" << *place << '\n';
      }
      for (const AtLeast &condition : dealt.conditions) {
        errs() << "  needs " << *condition.left << " >= " << *condition.right << '\n';
      }
    }
  }
  return PreservedAnalyses::all();
}

} // namespace tutti::compiler
