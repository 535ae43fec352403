// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/cache_nest.h"

#include "compiler/analysis/chunk_model.h"
#include "compiler/analysis/worksharing.h"
#include "compiler/ir/construct_calls.h"
#include "compiler/ir/private_memory.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <cstdlib>
#include <vector>

using namespace llvm;

namespace tutti::compiler {

namespace {

constexpr std::int64_t kLine = 64;
/// What an iteration may do beside its inner loop, in instructions, as each block does it anew; and
/// what a call stands for.
constexpr unsigned kMostBeside = 128;
constexpr unsigned kCall = 32;
/// Streams are compared with each other.
constexpr std::size_t kMostStreams = 64;
/// Loops in the worksharing loop, each of which may be the one to divide.
constexpr std::size_t kMostLoops = 8;

/// Addresses as a nest walks through them, and rows beside them.
struct Stream {
  const SCEV *start = nullptr; ///< Where all loops begin.
  /// By iteration; null: the same one, or, of `outer`, one that is not known.
  const SCEV *outerStep = nullptr;
  const SCEV *innerStep = nullptr;
  SmallVector<std::pair<const Loop *, const SCEV *>, 2> deeper; ///< Loops in `inner`, and steps.
  /// Of an array of pointers to rows: where the pointer stands.
  const SCEVAddRecExpr *row = nullptr;
  bool isInvariant = true; ///< In `outer`.
  std::uint64_t bytes = 0;
  int least = 0; ///< Rows, counted in iterations of `outer` from `start`.
  int most = 0;
};

/// Steps that stay in a line for some iterations.
bool isShort(const SCEV *step) {
  const auto *constant = dyn_cast_or_null<SCEVConstant>(step);
  return constant && constant->getAPInt().abs().ult(kLine);
}

class NestReader {
public:
  NestReader(Function &function, FunctionAnalysisManager &analyses)
      : loops_(analyses.getResult<LoopAnalysis>(function)),
        dominators_(analyses.getResult<DominatorTreeAnalysis>(function)),
        scev_(analyses.getResult<ScalarEvolutionAnalysis>(function)),
        expander_(scev_, function.getDataLayout(), "cache"), function_(function),
        analyses_(analyses), i64_(Type::getInt64Ty(function.getContext())) {}

  Loop *worksharingLoop(const CallInst &init) const;
  std::optional<CacheNest> run(Loop &outer, Loop &inner);

private:
  bool setOthersAside();
  bool isOnce(const BasicBlock &block) const;
  bool hasForm(const Loop &loop);
  bool onlyCounts(const Loop &loop);
  bool keepsValues(const Loop &loop) const;
  bool survey();
  bool mayStand(Instruction &inst) const;
  unsigned costOf(const Instruction &inst) const;
  bool comesAlways(const BasicBlock *target);
  bool isNeeded(const LoadInst &load);
  bool readsTheSameAgain();
  const SCEV *invariant(const SCEV *taken);
  const SCEV *tripOf(const Loop &loop);
  const SCEV *mostTripsOf(const Loop &loop);
  bool addStream(Instruction &inst);
  bool joins(Stream &known, const Stream &stream);
  bool addCosts();

  const SCEV *times(const SCEV *one, const SCEV *other) { return scev_.getMulExpr(one, other); }

  const SCEV *number(std::int64_t value) {
    return scev_.getConstant(i64_, static_cast<std::uint64_t>(value), /*isSigned=*/true);
  }

  LoopInfo &loops_;
  DominatorTree &dominators_;
  ScalarEvolution &scev_;
  SCEVExpander expander_;
  Function &function_;
  FunctionAnalysisManager &analyses_;
  Type *i64_;
  CacheNest nest_;
  SmallVector<LoadInst *, 8> before_; ///< Loads outside of all inner loops.
  SmallVector<StoreInst *, 4> stores_;
  /// Pointers that are loaded in the nest from one place: what stands for them in addresses.
  ValueToSCEVMapTy objects_;
  SmallVector<Stream, 8> streams_;
};

/// The loop that begins where `init` says.
Loop *NestReader::worksharingLoop(const CallInst &init) const {
  const Value *lower = operandOf(init, Role::Lower);
  for (Loop *loop : loops_) {
    for (PHINode &phi : loop->getHeader()->phis()) {
      const auto *counter =
          scev_.isSCEVable(phi.getType()) ? dyn_cast<SCEVAddRecExpr>(scev_.getSCEV(&phi)) : nullptr;
      const bool isDealt = counter && SCEVExprContains(counter->getStart(), [&](const SCEV *part) {
                             const auto *unknown = dyn_cast<SCEVUnknown>(part);
                             const auto *load =
                                 unknown ? dyn_cast<LoadInst>(unknown->getValue()) : nullptr;
                             return load && load->getPointerOperand() == lower;
                           });
      if (isDealt) {
        return loop;
      }
    }
  }
  return nullptr;
}

bool NestReader::hasForm(const Loop &loop) {
  return loop.getLoopPreheader() && loop.getLoopLatch() &&
         loop.getExitingBlock() == loop.getLoopLatch() && loop.getExitBlock() &&
         isa<BranchInst>(loop.getLoopLatch()->getTerminator());
}

/// Whether nothing but counters goes from one iteration to the next.
bool NestReader::onlyCounts(const Loop &loop) {
  const Instruction *before = nest_.outer->getLoopPreheader()->getTerminator();
  return all_of(loop.getHeader()->phis(), [&](PHINode &phi) {
    const auto *counter =
        scev_.isSCEVable(phi.getType()) ? dyn_cast<SCEVAddRecExpr>(scev_.getSCEV(&phi)) : nullptr;
    if (!counter || counter->getLoop() != &loop || !counter->isAffine()) {
      return false;
    }
    const SCEV *step = counter->getStepRecurrence(scev_);
    return scev_.isLoopInvariant(step, nest_.outer) && expander_.isSafeToExpandAt(step, before);
  });
}

/// Whether nobody outside uses what the loop computes.
bool NestReader::keepsValues(const Loop &loop) const {
  return all_of(loop.blocks(), [&](const BasicBlock *block) {
    return all_of(*block, [&](const Instruction &inst) {
      return all_of(inst.users(),
                    [&](const User *user) { return loop.contains(cast<Instruction>(user)); });
    });
  });
}

/// Whether `inst`, which is no load and no store, has no effect beside its value.
bool NestReader::mayStand(Instruction &inst) const {
  if (const auto *call = dyn_cast<CallBase>(&inst)) {
    const bool getsPointers =
        any_of(call->args(), [](const Use &use) { return use->getType()->isPointerTy(); });
    return isa<DbgInfoIntrinsic>(call) || isa<AssumeInst>(call) ||
           isa<NoAliasScopeDeclInst>(call) ||
           (mayStandInLoop(*call) && !isPrivateMemoryCall(*call) &&
            (!getsPointers || call->doesNotAccessMemory()));
  }
  return !isa<AllocaInst>(inst) && !inst.mayReadOrWriteMemory() && !inst.mayThrow();
}

/// Of `inst` beside the inner loop. What a function takes that is none of the library's is not
/// known.
unsigned NestReader::costOf(const Instruction &inst) const {
  const auto *call = dyn_cast<CallBase>(&inst);
  if (!call) {
    return 1;
  }
  if (isa<DbgInfoIntrinsic, AssumeInst, NoAliasScopeDeclInst>(call)) {
    return 0;
  }
  LibFunc known;
  const bool isOthers =
      !isa<IntrinsicInst>(call) &&
      !analyses_.getResult<TargetLibraryAnalysis>(function_).getLibFunc(*call, known);
  return isOthers ? kMostBeside + 1 : kCall;
}

/// Whether `block` is in a loop that is executed in one block of an iteration only.
bool NestReader::isOnce(const BasicBlock &block) const {
  return loops_.getLoopFor(&block) != nest_.outer && !nest_.inner->contains(&block);
}

/// Finds out which other loops come before the one that is divided. In reverse post-order all that
/// leads to a block stands in front of it, but for what comes round a loop.
bool NestReader::setOthersAside() {
  bool isBehind = false;
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function_)) {
    Loop *loop = loops_.getLoopFor(block);
    if (!loop || loop->getParentLoop() != nest_.outer || loop->getHeader() != block) {
      continue;
    }
    if (loop == nest_.inner) {
      isBehind = true;
    } else if (!hasForm(*loop) || !keepsValues(*loop)) {
      return false;
    } else {
      (isBehind ? nest_.last : nest_.first).push_back(loop);
    }
  }
  return true;
}

/// Looks at what the iterations do. Blocks begin each of them several times, so what is outside of
/// the inner loops has no effect.
bool NestReader::survey() {
  unsigned beside = 0;
  for (BasicBlock *block : nest_.outer->blocks()) {
    const bool isInside = loops_.getLoopFor(block) != nest_.outer;
    for (Instruction &inst : *block) {
      beside += isInside ? 0 : costOf(inst);
      if (beside > kMostBeside) {
        return false;
      }
      if (auto *load = dyn_cast<LoadInst>(&inst)) {
        if (!load->isSimple()) {
          return false;
        }
        if (!isInside) {
          before_.push_back(load);
        }
        if (load->getType()->isPointerTy() &&
            nest_.outer->isLoopInvariant(load->getPointerOperand())) {
          objects_[load] = scev_.getSCEV(load->getPointerOperand());
        }
      } else if (auto *store = dyn_cast<StoreInst>(&inst)) {
        // What a thread keeps for itself in one iteration would be overwritten by the next one.
        if (!store->isSimple() || !isInside ||
            memoryKind(store->getPointerOperand()) != MemoryKind::Shared) {
          return false;
        }
        stores_.push_back(store);
      } else if (!mayStand(inst)) {
        return false;
      }
    }
  }
  return !stores_.empty();
}

/// Whether all iterations of `outer` come to `target`, or none does. Adds what decides on it. What
/// loops do in their first round is enough to tell.
bool NestReader::comesAlways(const BasicBlock *target) {
  const auto goesBack = [this](const BasicBlock *from, const BasicBlock *to) {
    return loops_.isLoopHeader(to) && loops_.getLoopFor(to)->contains(from);
  };
  SmallPtrSet<const BasicBlock *, 16> leading{target};
  for (SmallVector<const BasicBlock *, 16> ahead{target}; !ahead.empty();) {
    const BasicBlock *block = ahead.pop_back_val();
    for (const BasicBlock *before : predecessors(block)) {
      if (nest_.outer->contains(before) && !goesBack(before, block) &&
          leading.insert(before).second) {
        ahead.push_back(before);
      }
    }
  }
  SmallVector<std::pair<Value *, bool>, 4> guards;
  for (const BasicBlock *block : nest_.outer->blocks()) {
    const auto leads = [&](const BasicBlock *next) {
      return leading.contains(next) && !goesBack(block, next);
    };
    if (block == target || !leading.contains(block) ||
        all_of(successors(block),
               [&](const BasicBlock *next) { return leads(next) || goesBack(block, next); })) {
      continue;
    }
    const auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    if (!branch || !nest_.outer->isLoopInvariant(branch->getCondition())) {
      return false;
    }
    guards.push_back({branch->getCondition(), leads(branch->getSuccessor(0))});
  }
  for (const auto &guard : guards) {
    if (!is_contained(nest_.guards, guard)) {
      nest_.guards.push_back(guard);
    }
  }
  return true;
}

/// Whether all iterations need what `load` gives, or none does. Loads may have been moved ahead of
/// conditions, and a choice behind them tells what the program reads.
bool NestReader::isNeeded(const LoadInst &load) {
  SmallPtrSet<const Instruction *, 16> seen;
  SmallVector<const Instruction *, 16> values{&load};
  while (!values.empty()) {
    for (const User *user : values.pop_back_val()->users()) {
      const auto *inst = cast<Instruction>(user);
      // What is loaded beside the inner loops may have been moved, too.
      const bool mayBeMoved =
          isa<LoadInst>(inst) && loops_.getLoopFor(inst->getParent()) == nest_.outer;
      if (isa<LoadInst, StoreInst, BranchInst>(inst) && !mayBeMoved) {
        if (comesAlways(inst->getParent())) {
          return true;
        }
      } else if ((mayBeMoved ||
                  isa<CastInst, GetElementPtrInst, CmpInst, FreezeInst, UnaryOperator,
                      IntrinsicInst>(inst) ||
                  (isa<BinaryOperator>(inst) && !inst->isBitwiseLogicOp())) &&
                 seen.insert(inst).second) {
        values.push_back(inst);
      }
    }
  }
  return false;
}

/// Whether what is loaded outside of the inner loops is the same each time an iteration begins
/// anew.
///
/// What all iterations load from one place none of them may write: the others would race with it.
bool NestReader::readsTheSameAgain() {
  auto &aliases = analyses_.getResult<AAManager>(function_);
  return all_of(before_, [&](const LoadInst *load) {
    return none_of(stores_,
                   [&](const StoreInst *store) {
                     return isModSet(aliases.getModRefInfo(store, MemoryLocation::get(load)));
                   }) ||
           (nest_.outer->isLoopInvariant(load->getPointerOperand()) && isNeeded(*load));
  });
}

/// How often a loop is executed that goes back `taken` times, in 64 bits; null if it is not known
/// in front of the outer loop.
const SCEV *NestReader::invariant(const SCEV *taken) {
  if (isa<SCEVCouldNotCompute>(taken) || !scev_.isLoopInvariant(taken, nest_.outer) ||
      scev_.getTypeSizeInBits(taken->getType()) > 64 ||
      !expander_.isSafeToExpandAt(taken, nest_.outer->getLoopPreheader()->getTerminator())) {
    return nullptr;
  }
  return scev_.getAddExpr(scev_.getNoopOrZeroExtend(taken, i64_), scev_.getOne(i64_));
}

const SCEV *NestReader::tripOf(const Loop &loop) {
  return invariant(scev_.getBackedgeTakenCount(&loop));
}

/// Of a loop that becomes longer or shorter from one iteration of `outer` to the next, as in a
/// triangle: what is more, of the first iteration and of the last one.
const SCEV *NestReader::mostTripsOf(const Loop &loop) {
  const SCEV *taken = scev_.getBackedgeTakenCount(&loop);
  if (isa<SCEVCouldNotCompute>(taken)) {
    return nullptr;
  }
  const SCEV *most = nullptr;
  for (const SCEV *iteration :
       {number(0), scev_.getMinusSCEV(nest_.iterations, scev_.getOne(i64_))}) {
    LoopToScevMapT at{{nest_.outer, iteration}};
    const SCEV *trip = invariant(SCEVLoopAddRecRewriter::rewrite(taken, at, scev_));
    if (!trip) {
      return nullptr;
    }
    most = most ? scev_.getUMaxExpr(most, trip) : trip;
  }
  return most;
}

/// Adds what `inst` touches. False if that cannot be said.
bool NestReader::addStream(Instruction &inst) {
  Stream stream;
  const SCEV *place = SCEVParameterRewriter::rewrite(
      scev_.getSCEV(getLoadStorePointerOperand(&inst)), scev_, objects_);
  stream.bytes = inst.getDataLayout().getTypeStoreSize(getLoadStoreType(&inst)).getKnownMinValue();
  while (const auto *recurrence = dyn_cast<SCEVAddRecExpr>(place)) {
    const Loop *loop = recurrence->getLoop();
    if (!nest_.outer->contains(loop)) {
      break;
    }
    const SCEV *step = recurrence->getStepRecurrence(scev_);
    if (!recurrence->isAffine() || !scev_.isLoopInvariant(step, nest_.outer)) {
      return false;
    }
    if (loop == nest_.outer) {
      stream.outerStep = step;
      stream.isInvariant = false;
    } else if (loop == nest_.inner) {
      stream.innerStep = step;
    } else {
      stream.deeper.push_back({loop, step});
    }
    place = recurrence->getStart();
  }
  if (!scev_.isLoopInvariant(place, nest_.inner)) {
    return false;
  }
  stream.start = place;
  if (!scev_.isLoopInvariant(place, nest_.outer)) {
    stream.isInvariant = false;
    stream.outerStep = nullptr;
    const auto *base = dyn_cast<SCEVUnknown>(scev_.getPointerBase(place));
    const auto *pointer = base ? dyn_cast<LoadInst>(base->getValue()) : nullptr;
    stream.row =
        pointer ? dyn_cast<SCEVAddRecExpr>(scev_.getSCEV(pointer->getOperand(0))) : nullptr;
  }
  if (none_of(streams_, [&](Stream &known) { return joins(known, stream); })) {
    streams_.push_back(stream);
  }
  return streams_.size() <= kMostStreams;
}

/// Whether `stream` lies in rows of `known`, or within a few elements of them.
bool NestReader::joins(Stream &known, const Stream &stream) {
  constexpr int kRows = 2; // Neighbours in stencils.
  constexpr std::int64_t kNear = 256;
  if (known.outerStep != stream.outerStep || known.innerStep != stream.innerStep ||
      known.deeper != stream.deeper || known.isInvariant != stream.isInvariant) {
    return false;
  }
  const auto addRow = [&known](std::int64_t row) {
    known.least = static_cast<int>(std::min<std::int64_t>(known.least, row));
    known.most = static_cast<int>(std::max<std::int64_t>(known.most, row));
    return true;
  };
  const auto isNear = [](const SCEV *distance) {
    const auto *bytes = dyn_cast<SCEVConstant>(distance);
    return bytes && bytes->getAPInt().abs().ule(kNear);
  };
  if (known.row && stream.row) {
    const auto *bytes =
        dyn_cast<SCEVConstant>(scev_.getMinusSCEV(stream.row->getStart(), known.row->getStart()));
    const auto *step = dyn_cast<SCEVConstant>(known.row->getStepRecurrence(scev_));
    if (!bytes || !step || stream.row->getStepRecurrence(scev_) != step) {
      return false;
    }
    const SCEV *inKnown = scev_.removePointerBase(known.start);
    const SCEV *inRow = scev_.removePointerBase(stream.start);
    const std::int64_t rows = bytes->getAPInt().getSExtValue() / step->getAPInt().getSExtValue();
    return std::abs(rows) <= 2 * kRows && isNear(scev_.getMinusSCEV(inRow, inKnown)) &&
           addRow(rows);
  }
  if (scev_.getPointerBase(known.start) != scev_.getPointerBase(stream.start)) {
    return false;
  }
  const SCEV *distance = scev_.getMinusSCEV(stream.start, known.start);
  if (isa<SCEVCouldNotCompute>(distance)) {
    return false;
  }
  for (const int inner : {0, 1, -1, 2, -2}) {
    if (inner != 0 && !stream.innerStep) {
      break;
    }
    for (const int outer : {0, 1, -1, 2, -2}) {
      if (outer != 0 && !stream.outerStep) {
        break;
      }
      const SCEV *left = distance;
      if (inner != 0) {
        left = scev_.getMinusSCEV(left, times(number(inner), stream.innerStep));
      }
      if (outer != 0) {
        left = scev_.getMinusSCEV(left, times(number(outer), stream.outerStep));
      }
      if (isNear(left)) {
        return addRow(outer);
      }
    }
  }
  return false;
}

/// Sums up what one iteration touches. False if nothing of it is used again in the next ones, or if
/// it is not known how much it is.
bool NestReader::addCosts() {
  nest_.moving = number(0);
  nest_.fixed = number(0);
  nest_.column = number(0);
  bool isUsedAgain = false;
  for (const Stream &stream : streams_) {
    const SCEV *lines = number(stream.most - stream.least + 1);
    const SCEV *run = number(0); // What lies side by side.
    for (const auto &[loop, step] : stream.deeper) {
      const SCEV *trip = mostTripsOf(*loop);
      if (!trip) {
        return false;
      }
      if (isShort(step)) {
        const std::int64_t bytes = std::abs(cast<SCEVConstant>(step)->getAPInt().getSExtValue());
        run = scev_.getAddExpr(run, times(number(bytes), trip));
      } else {
        lines = times(lines, trip);
      }
    }
    const SCEV *whole = times(lines, run->isZero() ? number(kLine) : run);
    if (!stream.innerStep) {
      nest_.fixed = scev_.getAddExpr(nest_.fixed, whole);
      continue;
    }
    isUsedAgain = isUsedAgain || stream.isInvariant || stream.most > stream.least;
    if (isShort(stream.innerStep)) {
      const std::int64_t bytes =
          std::abs(cast<SCEVConstant>(stream.innerStep)->getAPInt().getSExtValue());
      nest_.moving = scev_.getAddExpr(nest_.moving, times(number(bytes), lines));
      nest_.fixed = scev_.getAddExpr(nest_.fixed, times(number(kLine), lines));
    } else {
      nest_.moving = scev_.getAddExpr(nest_.moving, whole);
      if (isShort(stream.outerStep)) {
        nest_.column =
            scev_.getUMaxExpr(nest_.column, scev_.getAbsExpr(stream.innerStep, /*IsNSW=*/false));
        isUsedAgain = true;
      }
    }
  }
  return isUsedAgain &&
         expander_.isSafeToExpandAt(nest_.column, nest_.outer->getLoopPreheader()->getTerminator());
}

std::optional<CacheNest> NestReader::run(Loop &outer, Loop &inner) {
  nest_.outer = &outer;
  nest_.inner = &inner;
  for (const Loop *loop : {nest_.outer, nest_.inner}) {
    if (!hasForm(*loop) || !onlyCounts(*loop) || !keepsValues(*loop)) {
      return std::nullopt;
    }
  }
  nest_.iterations = tripOf(outer);
  nest_.trip = tripOf(inner);
  if (!nest_.iterations || !nest_.trip || !setOthersAside() || !survey() || !readsTheSameAgain()) {
    return std::nullopt;
  }
  for (BasicBlock *block : inner.blocks()) {
    for (Instruction &inst : *block) {
      if (isa<LoadInst, StoreInst>(inst) && !addStream(inst)) {
        return std::nullopt;
      }
    }
  }
  return addCosts() ? std::optional(nest_) : std::nullopt;
}

/// How many loops are one in another.
unsigned depthBelow(const Loop &loop) {
  unsigned depth = 0;
  for (const Loop *part : loop.getSubLoops()) {
    depth = std::max(depth, depthBelow(*part) + 1);
  }
  return depth;
}

} // namespace

std::optional<CacheNest> findCacheNest(Function &function, const CallInst &init,
                                       FunctionAnalysisManager &analyses) {
  if (kindOf(init) != CallKind::StaticInit || scheduleOf(init) != Schedule::Even) {
    return std::nullopt;
  }
  Loop *outer = NestReader(function, analyses).worksharingLoop(init);
  const ReversePostOrderTraversal<const Function *> blocks(&function);
  if (!outer || outer->getSubLoops().size() > kMostLoops ||
      containsIrreducibleCFG<const BasicBlock *>(blocks,
                                                 analyses.getResult<LoopAnalysis>(function))) {
    return std::nullopt;
  }
  // The deepest loop does most.
  std::vector<Loop *> loops = outer->getSubLoops();
  stable_sort(loops, [](const Loop *one, const Loop *other) {
    return depthBelow(*one) > depthBelow(*other);
  });
  for (Loop *inner : loops) {
    if (auto nest = NestReader(function, analyses).run(*outer, *inner)) {
      return nest;
    }
  }
  return std::nullopt;
}

} // namespace tutti::compiler
