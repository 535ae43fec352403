// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/parallel_loops.h"

#include "compiler/analysis/accumulators.h"
#include "compiler/ir/kernel.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

using namespace llvm;

namespace tutti::compiler {

namespace {

/// A function of the C math library: the only kind of function without a body that has numbers for
/// parameters (compiler/ir/kernel.h), unless it belongs to the kernel's own.
bool isMath(const CallInst &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || callee->getName().starts_with("tutti.")) {
    return false;
  }
  const auto isNumber = [](Type *type) { return type->isIntegerTy() || type->isFloatingPointTy(); };
  const FunctionType *type = callee->getFunctionType();
  return !type->isVarArg() && isNumber(type->getReturnType()) && all_of(type->params(), isNumber) &&
         any_of(type->params(), [](Type *param) { return param->isFloatingPointTy(); });
}

/// Bytes by which `expression` grows with each iteration of `loop`, as far as that is known.
/// For choosing an order only: looks through extensions.
std::optional<std::int64_t> strideOf(const SCEV *expression, const Loop &loop,
                                     ScalarEvolution &scev) {
  if (scev.isLoopInvariant(expression, &loop)) {
    return 0;
  }
  if (const auto *cast = dyn_cast<SCEVCastExpr>(expression)) {
    return strideOf(cast->getOperand(), loop, scev);
  }
  std::int64_t sum = 0;
  if (const auto *recurrence = dyn_cast<SCEVAddRecExpr>(expression)) {
    const auto *step = dyn_cast<SCEVConstant>(recurrence->getStepRecurrence(scev));
    const std::optional<std::int64_t> start = strideOf(recurrence->getStart(), loop, scev);
    if (recurrence->getLoop() != &loop) {
      return start;
    }
    return step && start ? std::optional(*start + step->getAPInt().getSExtValue()) : std::nullopt;
  }
  if (const auto *terms = dyn_cast<SCEVAddExpr>(expression)) {
    for (const SCEV *term : terms->operands()) {
      const std::optional<std::int64_t> stride = strideOf(term, loop, scev);
      if (!stride) {
        return std::nullopt;
      }
      sum += *stride;
    }
    return sum;
  }
  const auto *scaled = dyn_cast<SCEVMulExpr>(expression);
  const auto *scale = scaled ? dyn_cast<SCEVConstant>(scaled->getOperand(0)) : nullptr;
  if (!scale || scaled->getNumOperands() != 2) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> stride = strideOf(scaled->getOperand(1), loop, scev);
  return stride ? std::optional(*stride * scale->getAPInt().getSExtValue()) : std::nullopt;
}

class NestFinder {
public:
  NestFinder(Function &kernel, Loop &chunkLoop, FunctionAnalysisManager &analyses)
      : kernel_(kernel), chunk_(chunkLoop), loops_(analyses.getResult<LoopAnalysis>(kernel)),
        scev_(analyses.getResult<ScalarEvolutionAnalysis>(kernel)),
        dominators_(analyses.getResult<DominatorTreeAnalysis>(kernel)), conditions_(scev_) {}

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
  /// Private memory that is written in the chunk's loop, and the loop in whose iterations its
  /// content lives; null if it may live longer.
  struct Temporary {
    const AllocaInst *memory;
    const Loop *home;
  };

  bool refuse(const Twine &reason) {
    nest_.reason = reason.str();
    return false;
  }

  const SCEV *chunkExtent();
  void addDimension(ArrayRef<Loop *> loops, const SCEV *extent);
  const SCEV *tripOf(const Loop &loop);
  bool survey();
  bool surveyPhis();
  bool surveyInstruction(Instruction &inst);
  bool addAccess(Instruction &inst, Value *pointer, Value *length, Type *type, bool writes);
  const Loop *homeOf(const AllocaInst &memory) const;
  bool accumulates() const;
  bool deepen();
  bool divides(ArrayRef<Loop *> loops);
  SmallVector<Loop *, 2> workingLoops(const Loop &parent);
  bool descend(SmallVectorImpl<Loop *> &loops);

  const Loop &innermost() const { return *nest_.dimensions.back().loops.front(); }

  bool hasRightForm(const Loop &loop);
  bool passesNothingOn(const Loop &loop);
  bool keepsTemporaries(const Loop &loop);
  bool areParallel(ArrayRef<Loop *> loops);
  const SCEV *extentOf(const Loop &loop);
  unsigned contiguousAccesses(const NestDimension &dimension) const;
  void chooseOrder();

  Function &kernel_;
  Loop &chunk_;
  LoopInfo &loops_;
  ScalarEvolution &scev_;
  DominatorTree &dominators_;
  LaunchConditions conditions_;
  ParallelNest nest_;
  std::vector<KernelAccess> accesses_;
  SmallPtrSet<const Instruction *, 16> accumulators_; ///< All members of all of them.
  SmallVector<Instruction *, 16> effects_;
  SmallVector<std::pair<Instruction *, const AllocaInst *>, 8> privateStores_;
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
  for (BasicBlock *block : chunk_.blocks()) {
    for (Instruction &inst : *block) {
      if (!surveyInstruction(inst)) {
        return false;
      }
      if (accumulators_.contains(&inst) && !isa<PHINode>(inst)) {
        effects_.push_back(&inst);
      }
    }
  }
  return true;
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

/// The loop in whose iterations the content of `memory` begins and ends.
const Loop *NestFinder::homeOf(const AllocaInst &memory) const {
  const Instruction *start = nullptr;
  for (const User *user : memory.users()) {
    const auto *marker = dyn_cast<IntrinsicInst>(user);
    if (marker && marker->getIntrinsicID() == Intrinsic::lifetime_start &&
        chunk_.contains(marker)) {
      if (start) {
        return nullptr;
      }
      start = marker;
    }
  }
  if (!start) {
    return nullptr;
  }
  const Loop *home = loops_.getLoopFor(start->getParent());
  SmallVector<const Value *, 8> work{&memory};
  SmallPtrSet<const Value *, 8> seen;
  while (!work.empty()) {
    for (const Use &use : work.pop_back_val()->uses()) {
      const auto *inst = cast<Instruction>(use.getUser());
      const auto *store = dyn_cast<StoreInst>(inst);
      if (isa<GetElementPtrInst>(inst) || isa<PHINode>(inst) || isa<SelectInst>(inst)) {
        if (seen.insert(inst).second) {
          work.push_back(inst);
        }
        continue;
      }
      const bool isAccess = isa<LoadInst>(inst) || isa<MemIntrinsic>(inst) ||
                            (store && use.getOperandNo() == store->getPointerOperandIndex());
      const bool isInside = home->contains(inst) && dominators_.dominates(start, inst);
      if (!isa<LifetimeIntrinsic>(inst) && !isa<CmpInst>(inst) && !(isAccess && isInside)) {
        return nullptr;
      }
    }
  }
  return home;
}

/// Notes an access: of `type`, or of `length` bytes where that is null.
bool NestFinder::addAccess(Instruction &inst, Value *pointer, Value *length, Type *type,
                           bool writes) {
  SmallVector<const Value *, 2> objects;
  getUnderlyingObjects(pointer, objects, nullptr, 0);
  const Value *object = objects.size() == 1 ? objects.front() : nullptr;
  if (!object && any_of(objects, [](const Value *one) { return isa<AllocaInst>(one); })) {
    return refuse("a pointer may lead to different private arrays");
  }
  if (const auto *memory = dyn_cast_or_null<AllocaInst>(object)) {
    if (writes) {
      privateStores_.push_back({&inst, memory});
      if (!homeOf(*memory)) {
        effects_.push_back(&inst);
      }
    }
    return true;
  }
  const auto *global = dyn_cast_or_null<GlobalVariable>(object);
  if (global && global->isConstant() && !writes) {
    return true;
  }
  Type *i64 = Type::getInt64Ty(kernel_.getContext());
  const SCEV *bytes = length ? scev_.getTruncateOrZeroExtend(scev_.getSCEV(length), i64)
                             : scev_.getStoreSizeOfExpr(i64, type);
  KernelAccess access =
      kernelAccess(inst, pointer, bytes, loops_.getLoopFor(inst.getParent()), scev_);
  access.writes = writes;
  accesses_.push_back(access);
  if (writes) {
    effects_.push_back(&inst);
  }
  return true;
}

bool NestFinder::surveyInstruction(Instruction &inst) {
  if (auto *load = dyn_cast<LoadInst>(&inst); load && load->isSimple()) {
    return addAccess(inst, load->getPointerOperand(), nullptr, load->getType(), false);
  }
  if (auto *store = dyn_cast<StoreInst>(&inst); store && store->isSimple()) {
    return addAccess(inst, store->getPointerOperand(), nullptr, store->getValueOperand()->getType(),
                     true);
  }
  if (auto *memory = dyn_cast<MemIntrinsic>(&inst); memory && !memory->isVolatile()) {
    auto *transfer = dyn_cast<MemTransferInst>(memory);
    return (!transfer ||
            addAccess(inst, transfer->getRawSource(), transfer->getLength(), nullptr, false)) &&
           addAccess(inst, memory->getRawDest(), memory->getLength(), nullptr, true);
  }
  if (isa<DbgInfoIntrinsic>(inst) || isa<PseudoProbeInst>(inst)) {
    return true;
  }
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
      intrinsic && intrinsic->isAssumeLikeIntrinsic()) {
    return true;
  }
  const auto *call = dyn_cast<CallInst>(&inst);
  if (call ? call->isConvergent() && !isMath(*call) : false) {
    return refuse("an iteration waits for others");
  }
  const bool isPure = call ? call->doesNotAccessMemory() || isMath(*call)
                           : !inst.mayReadOrWriteMemory() && !inst.mayThrow();
  return isPure || refuse("an iteration has an effect that may not happen twice");
}

bool NestFinder::accumulates() const {
  return any_of(effects_, [this](const Instruction *inst) { return accumulators_.contains(inst); });
}

/// The loops directly inside `parent` that hold all its effects; none if there is no such thing.
SmallVector<Loop *, 2> NestFinder::workingLoops(const Loop &parent) {
  SmallVector<Loop *, 2> found;
  for (const Instruction *effect : effects_) {
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

/// Whether private memory that is written in `loop` is written anew in each iteration.
bool NestFinder::keepsTemporaries(const Loop &loop) {
  for (const auto &[store, memory] : privateStores_) {
    const Loop *home = homeOf(*memory);
    if (loop.contains(store) && !(home && loop.contains(home))) {
      return refuse("an inner loop writes to a private array");
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
  for (const KernelAccess &store : accesses_) {
    const bool isDivided =
        any_of(loops, [&](const Loop *loop) { return loop->contains(store.loop); });
    if (!store.writes || !isDivided) {
      continue;
    }
    for (const KernelAccess &other : accesses_) {
      if (parent.contains(other.loop) && !dependences.areIndependent(store, other)) {
        return refuse(store.root == other.root
                          ? "iterations of an inner loop may touch the same memory"
                          : "an inner loop writes through a pointer that may lead to other data");
      }
    }
  }
  nest_.needsDisjoint = nest_.needsDisjoint || dependences.needsDisjoint();
  return true;
}

/// Makes `loops` the next dimension. Returns whether that is possible.
bool NestFinder::divides(ArrayRef<Loop *> loops) {
  const std::size_t mark = conditions_.list().size();
  const SCEV *extent = nullptr;
  const bool haveRightForm = all_of(loops, [this](const Loop *loop) {
    return hasRightForm(*loop) && passesNothingOn(*loop) && keepsTemporaries(*loop);
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
  constexpr std::int64_t kClose = 16;
  const auto loopAround = [](const NestDimension &loops, const KernelAccess &access) {
    const auto found =
        find_if(loops.loops, [&](const Loop *loop) { return loop->contains(access.loop); });
    return found == loops.loops.end() ? nullptr : *found;
  };
  return count_if(accesses_, [&](const KernelAccess &access) {
    if (!access.offset || !loopAround(nest_.dimensions.back(), access)) {
      return false;
    }
    const std::optional<std::int64_t> stride =
        strideOf(access.offset, *loopAround(dimension, access), scev_);
    return stride && *stride != 0 && std::abs(*stride) <= kClose;
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
