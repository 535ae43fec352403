// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/parallel_loops.h"

#include "compiler/analysis/accumulators.h"
#include "compiler/analysis/loop_survey.h"
#include "compiler/ir/kernel.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace llvm;

namespace tutti::compiler {

namespace {

class NestFinder {
public:
  NestFinder(Function &kernel, Loop &chunkLoop, FunctionAnalysisManager &analyses)
      : kernel_(kernel), chunk_(chunkLoop), loops_(analyses.getResult<LoopAnalysis>(kernel)),
        scev_(analyses.getResult<ScalarEvolutionAnalysis>(kernel)),
        survey_(chunkLoop, loops_, scev_, analyses.getResult<DominatorTreeAnalysis>(kernel)),
        conditions_(scev_) {}

  ParallelNest run(unsigned deepest) {
    addDimension({&chunk_}, chunkExtent());
    if (survey()) {
      while (nest_.dimensions.size() < deepest && deepen()) {
      }
    }
    nest_.conditions.assign(conditions_.list().begin(), conditions_.list().end());
    chooseOrder();
    return std::move(nest_);
  }

private:
  bool refuse(const Twine &reason) {
    nest_.reason = reason.str();
    return false;
  }

  const SCEV *chunkExtent();
  void addDimension(ArrayRef<Loop *> loops, const SCEV *extent);
  const SCEV *tripOf(const Loop &loop);
  bool survey();
  bool surveyPhis();
  bool accumulates() const;
  bool deepen();
  bool divides(ArrayRef<Loop *> loops);
  SmallVector<Loop *, 2> workingLoops(const Loop &parent);
  bool descend(SmallVectorImpl<Loop *> &loops);

  const Loop &innermost() const { return *nest_.dimensions.back().loops.front(); }

  bool hasRightForm(const Loop &loop);
  bool passesNothingOn(const Loop &loop);
  bool areParallel(ArrayRef<Loop *> loops);
  const SCEV *extentOf(const Loop &loop);
  unsigned contiguousAccesses(const NestDimension &dimension) const;
  void chooseOrder();

  Function &kernel_;
  Loop &chunk_;
  LoopInfo &loops_;
  ScalarEvolution &scev_;
  LoopSurvey survey_;
  LaunchConditions conditions_;
  ParallelNest nest_;
  SmallPtrSet<const Instruction *, 16> accumulators_; ///< All members of all of them.
};

const SCEV *NestFinder::chunkExtent() {
  const SCEV *taken = conditions_.mostTaken(chunk_);
  if (taken) {
    return scev_.getAddExpr(taken, scev_.getOne(taken->getType()));
  }
  return scev_.getMinusSCEV(scev_.getSCEV(kernel_.getArg(kernel::Upper)),
                            scev_.getSCEV(kernel_.getArg(kernel::Lower)));
}

/// Iterations of `loop` in 64 bits, or what cannot be computed.
const SCEV *NestFinder::tripOf(const Loop &loop) {
  const SCEV *taken = scev_.getBackedgeTakenCount(&loop);
  if (isa<SCEVCouldNotCompute>(taken)) {
    return taken;
  }
  Type *i64 = Type::getInt64Ty(kernel_.getContext());
  return scev_.getAddExpr(scev_.getTruncateOrZeroExtend(taken, i64), scev_.getOne(i64));
}

void NestFinder::addDimension(ArrayRef<Loop *> loops, const SCEV *extent) {
  nest_.dimensions.push_back({SmallVector<Loop *, 1>(loops), tripOf(*loops.front()), extent});
}

/// Looks at everything in the chunk's loop once. Returns whether loops inside may be divided.
bool NestFinder::survey() {
  if (!surveyPhis()) {
    return false;
  }
  nest_.reason = survey_.run(accumulators_);
  return nest_.reason.empty();
}

bool NestFinder::surveyPhis() {
  for (PHINode &phi : chunk_.getHeader()->phis()) {
    const auto *recurrence =
        scev_.isSCEVable(phi.getType()) ? dyn_cast<SCEVAddRecExpr>(scev_.getSCEV(&phi)) : nullptr;
    const bool isCounter = recurrence && recurrence->isAffine();
    // A sum of constants is a recurrence as well.
    const std::optional<Accumulator> accumulator = findAccumulator(phi, chunk_, loops_);
    if (accumulator) {
      accumulators_.insert(accumulator->begin(), accumulator->end());
    } else if (!isCounter) {
      return refuse("a variable keeps its value from one iteration to the next");
    }
  }
  return true;
}

bool NestFinder::accumulates() const {
  return any_of(survey_.effects(),
                [this](const Instruction *inst) { return accumulators_.contains(inst); });
}

/// The loops directly inside `parent` that hold all its effects; none if there is no such thing.
SmallVector<Loop *, 2> NestFinder::workingLoops(const Loop &parent) {
  SmallVector<Loop *, 2> found;
  for (const Instruction *effect : survey_.effects()) {
    Loop *loop = loops_.getLoopFor(effect->getParent());
    if (!parent.contains(loop)) {
      continue;
    }
    while (loop != &parent && loop->getParentLoop() != &parent) {
      loop = loop->getParentLoop();
    }
    if (loop == &parent) {
      const bool isInnermost = parent.getSubLoops().empty();
      refuse(isInnermost ? "there is no loop inside"
                         : "results are written or combined outside of the inner loop");
      return {};
    }
    if (!is_contained(found, loop)) {
      found.push_back(loop);
    }
  }
  if (found.empty()) {
    refuse("nothing is written or combined");
  }
  return found;
}

/// Puts the loops inside of one of `loops` in its place. Returns whether there are any.
bool NestFinder::descend(SmallVectorImpl<Loop *> &loops) {
  for (Loop *&loop : loops) {
    const SmallVector<Loop *, 2> inner = workingLoops(*loop);
    if (!inner.empty()) {
      loop = inner.front();
      loops.append(inner.begin() + 1, inner.end());
      return true;
    }
  }
  return false;
}

const SCEV *NestFinder::extentOf(const Loop &loop) {
  const SCEV *taken = conditions_.mostTaken(loop);
  if (!taken) {
    return nullptr;
  }
  const SCEV *extent = scev_.getAddExpr(taken, scev_.getOne(taken->getType()));
  const SCEV *limit = scev_.getConstant(taken->getType(), std::uint64_t{1} << 31);
  return conditions_.atLeast(limit, extent) == Truth::Never ? nullptr : extent;
}

bool NestFinder::hasRightForm(const Loop &loop) {
  if (!loop.getLoopPreheader() || !loop.getLoopLatch() ||
      loop.getExitingBlock() != loop.getLoopLatch()) {
    return refuse("an inner loop may be left early");
  }
  const SCEV *taken = scev_.getBackedgeTakenCount(&loop);
  if (isa<SCEVCouldNotCompute>(taken)) {
    return refuse("the number of iterations of an inner loop is not known before it");
  }
  const bool depends =
      SCEVExprContains(taken, [](const SCEV *part) { return isa<SCEVAddRecExpr>(part); });
  if (depends) {
    return refuse("the number of iterations of an inner loop depends on the outer one");
  }
  for (PHINode &phi : loop.getHeader()->phis()) {
    const auto *recurrence =
        scev_.isSCEVable(phi.getType()) ? dyn_cast<SCEVAddRecExpr>(scev_.getSCEV(&phi)) : nullptr;
    if (!accumulators_.contains(&phi) &&
        !(recurrence && recurrence->getLoop() == &loop && recurrence->isAffine())) {
      return refuse("an inner loop carries a value from one iteration to the next");
    }
  }
  return true;
}

/// Accumulators excepted: those see to what becomes of them themselves.
bool NestFinder::passesNothingOn(const Loop &loop) {
  for (const BasicBlock *block : loop.blocks()) {
    for (const Instruction &inst : *block) {
      const bool leaves = any_of(
          inst.users(), [&](const User *user) { return !loop.contains(cast<Instruction>(user)); });
      if (leaves && !accumulators_.contains(&inst)) {
        return refuse("a value of an inner loop's last iteration is used after it");
      }
    }
  }
  return true;
}

/// Whether different iterations of `loops`, the next dimension of the nest, touch different memory
/// for any fixed iteration of the loops of the nest around them.
///
/// That suffices for all pairs of iterations of the nest: the first dimension in which two of them
/// differ is the chunk's, and OpenMP's contract holds, or it is one for which this has been shown,
/// for all iterations of the loops inside of it.
bool NestFinder::areParallel(ArrayRef<Loop *> loops) {
  const Loop &parent = innermost();
  LoopDependences dependences(parent, loops, scev_, conditions_);
  for (const KernelAccess &store : survey_.accesses()) {
    const bool isDivided =
        any_of(loops, [&](const Loop *loop) { return loop->contains(store.loop); });
    if (!store.writes || !isDivided) {
      continue;
    }
    for (const KernelAccess &other : survey_.accesses()) {
      if (parent.contains(other.loop) && !dependences.areIndependent(store, other)) {
        return refuse(store.root == other.root
                          ? "iterations of an inner loop may touch the same memory"
                          : "an inner loop writes through a pointer that may lead to other data");
      }
    }
  }
  nest_.needsDisjoint = nest_.needsDisjoint || dependences.needsDisjoint();
  nest_.isGuess = nest_.isGuess || dependences.isGuess();
  return true;
}

/// Makes `loops` the next dimension. Returns whether that is possible.
bool NestFinder::divides(ArrayRef<Loop *> loops) {
  const std::size_t mark = conditions_.list().size();
  const SCEV *extent = nullptr;
  const bool haveRightForm = all_of(loops, [this](const Loop *loop) {
    return hasRightForm(*loop) && passesNothingOn(*loop) &&
           (survey_.keepsTemporaries(*loop) || refuse("an inner loop writes to a private array"));
  });
  if (haveRightForm) {
    const SCEV *trip = tripOf(*loops.front());
    if (loops.size() > 1 && accumulates()) {
      refuse("several loops inside do work side by side");
    } else if (any_of(loops, [&](const Loop *loop) { return tripOf(*loop) != trip; })) {
      refuse("loops inside that do work side by side run differently often");
    } else if (areParallel(loops) && !(extent = extentOf(*loops.front()))) {
      refuse("the number of iterations of an inner loop is not known at launch");
    }
  }
  if (!extent) {
    conditions_.truncate(mark);
    return false;
  }
  addDimension(loops, extent);
  return true;
}

/// Adds one more dimension to the nest. Returns whether yet another may follow.
bool NestFinder::deepen() {
  const Loop &parent = innermost();
  SmallVector<Loop *, 2> loops = workingLoops(parent);
  if (loops.empty()) {
    return false;
  }
  if (divides(loops)) {
    return loops.size() == 1;
  }
  const std::string reason = nest_.reason;
  // Deeper loops, within loops that every work-item executes. What they accumulate would pass
  // through those.
  while (!accumulates() && descend(loops)) {
    if (divides(loops)) {
      return false;
    }
  }
  nest_.reason = reason;
  return false;
}

/// How many accesses that are divided in all dimensions lie close together in neighbouring
/// iterations of `dimension`.
unsigned NestFinder::contiguousAccesses(const NestDimension &dimension) const {
  const auto loopAround = [](const NestDimension &loops, const KernelAccess &access) {
    const auto found =
        find_if(loops.loops, [&](const Loop *loop) { return loop->contains(access.loop); });
    return found == loops.loops.end() ? nullptr : *found;
  };
  return count_if(survey_.accesses(), [&](const KernelAccess &access) {
    return loopAround(nest_.dimensions.back(), access) &&
           isContiguous(access, *loopAround(dimension, access), scev_);
  });
}

void NestFinder::chooseOrder() {
  unsigned fastest = 0;
  unsigned most = 0;
  for (unsigned i = 0; i < nest_.dimensions.size(); ++i) {
    const unsigned found = contiguousAccesses(nest_.dimensions[i]);
    if (found >= most) {
      most = found;
      fastest = i;
    }
  }
  nest_.order.push_back(fastest);
  for (unsigned i = nest_.dimensions.size(); i-- > 0;) {
    if (i != fastest) {
      nest_.order.push_back(i);
    }
  }
}

} // namespace

ParallelNest findParallelNest(Function &kernel, Loop &chunkLoop, FunctionAnalysisManager &analyses,
                              unsigned deepest) {
  assert(kernel.arg_size() >= kernel::FirstCapture && "not in the form of a kernel");
  return NestFinder(kernel, chunkLoop, analyses).run(deepest);
}

PreservedAnalyses ParallelNestPrinterPass::run(Module &module, ModuleAnalysisManager &analyses) {
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  for (Function &function : module) {
    if (function.isDeclaration() || function.arg_size() < kernel::FirstCapture) {
      continue;
    }
    for (Loop *loop : functions.getResult<LoopAnalysis>(function)) {
      const ParallelNest nest = findParallelNest(function, *loop, functions);
      const std::size_t count = nest.dimensions.size();
      errs() << "parallel nest of '" << function.getName() << "': " << count
             << (count > 1 ? " loops, order" : " loop, order");
      for (const unsigned index : nest.order) {
        errs() << ' ' << index;
      }
      errs() << (nest.needsDisjoint ? ", objects disjoint\n" : "\n");
      for (const NestDimension &dimension : nest.dimensions) {
        errs() << "  extent " << *dimension.extent;
        if (dimension.loops.size() > 1) {
          errs() << ", " << dimension.loops.size() << " loops alike";
        }
        errs() << '\n';
      }
      for (const AtLeast &condition : nest.conditions) {
        errs() << "  needs " << *condition.left << " >= " << *condition.right << '\n';
      }
      errs() << "  " << (nest.reason.empty() ? "deepest" : nest.reason) << '\n';
    }
  }
  return PreservedAnalyses::all();
}

} // namespace tutti::compiler
