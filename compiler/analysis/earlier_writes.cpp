// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/earlier_writes.h"

#include "compiler/analysis/widen.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ScalarEvolutionDivision.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// The innermost loop around both; null if there is none.
const Loop *sharedLoop(const LoopInfo &loops, const CallInst &one, const CallInst &other) {
  const Loop *loop = loops.getLoopFor(one.getParent());
  while (loop && !loop->contains(other.getParent())) {
    loop = loop->getParentLoop();
  }
  return loop;
}

/// The loops around `block` inside of `around`, outermost first.
SmallVector<const Loop *, 3> loopsInside(const LoopInfo &loops, const BasicBlock &block,
                                         const Loop &around) {
  SmallVector<const Loop *, 3> inside;
  for (const Loop *loop = loops.getLoopFor(&block); loop != &around; loop = loop->getParentLoop()) {
    inside.insert(inside.begin(), loop);
  }
  return inside;
}

} // namespace

bool EarlierWrites::cover(CallInst &write, CallInst &read) {
  const Loop *shared = sharedLoop(loops_, write, read);
  if (!shared || !chunkLoop_.contains(shared) ||
      scev_.getPointerBase(scev_.getSCEV(write.getArgOperand(0))) !=
          scev_.getPointerBase(scev_.getSCEV(read.getArgOperand(0))) ||
      !runsBefore(write, read, *shared)) {
    return false;
  }
  const std::optional<Area> written = knownAreaOf(write, *shared);
  const std::optional<Area> needed = knownAreaOf(read, *shared);
  return written && needed && contains(*written, *needed, read);
}

/// Whether `value` is the same wherever one iteration of `shared` uses it.
bool EarlierWrites::isFixed(const Value *value, const Loop &shared) const {
  const auto *inst = dyn_cast<Instruction>(value);
  const Loop *loop = inst ? loops_.getLoopFor(inst->getParent()) : nullptr;
  return !loop || loop->contains(&shared);
}

bool EarlierWrites::isFixed(const SCEV *expression, const Loop &shared) const {
  return !SCEVExprContains(expression, [&](const SCEV *part) {
    if (const auto *recurrence = dyn_cast<SCEVAddRecExpr>(part)) {
      return !recurrence->getLoop()->contains(&shared);
    }
    const auto *unknown = dyn_cast<SCEVUnknown>(part);
    return isa<SCEVCouldNotCompute>(part) || (unknown && !isFixed(unknown->getValue(), shared));
  });
}

/// What `touch` accesses in one iteration of `shared`, as far as its loops run: each of them to its
/// end.
std::optional<EarlierWrites::Area> EarlierWrites::areaOf(const CallInst &touch,
                                                         const Loop &shared) {
  Type *i64 = Type::getInt64Ty(touch.getContext());
  Widen widen(scev_, nullptr);
  const Loop *scope = loops_.getLoopFor(touch.getParent());
  Area area{widen.visit(scev_.getSCEVAtScope(touch.getArgOperand(0), scope)),
            scev_.getSCEV(touch.getArgOperand(1)),
            {}};
  while (!isFixed(area.base, shared)) {
    const auto *recurrence = dyn_cast<SCEVAddRecExpr>(area.base);
    if (!recurrence || !recurrence->isAffine() || !recurrence->getLoop()->contains(scope)) {
      return std::nullopt;
    }
    const SCEV *taken = scev_.getBackedgeTakenCount(recurrence->getLoop());
    const SCEV *stride = recurrence->getStepRecurrence(scev_);
    if (!isFixed(taken, shared) || !isFixed(stride, shared) ||
        taken->getType()->getIntegerBitWidth() > 64) {
      return std::nullopt;
    }
    const SCEV *count = scev_.getAddExpr(scev_.getNoopOrZeroExtend(taken, i64), scev_.getOne(i64));
    area.dims.push_back({stride, count});
    area.base = recurrence->getStart();
  }
  turnUpwards(area);
  return isFixed(area.bytes, shared) ? std::optional(std::move(area)) : std::nullopt;
}

std::optional<EarlierWrites::Area> EarlierWrites::knownAreaOf(const CallInst &touch,
                                                              const Loop &shared) {
  const auto [known, isNew] = areas_.try_emplace({&touch, &shared});
  if (isNew) {
    known->second = areaOf(touch, shared);
  }
  return known->second;
}

/// Dimensions that are known to count down begin at their other end.
void EarlierWrites::turnUpwards(Area &area) {
  for (Dim &dim : area.dims) {
    if (scev_.isKnownNegative(dim.stride)) {
      const SCEV *steps = scev_.getMinusSCEV(dim.count, scev_.getOne(dim.count->getType()));
      area.base = scev_.getAddExpr(area.base, scev_.getMulExpr(dim.stride, steps));
      dim.stride = scev_.getNegativeSCEV(dim.stride);
    }
  }
}

/// Takes the dimensions that leave no gap into `area.bytes`.
void EarlierWrites::joinRuns(Area &area) {
  const auto touches = [&](const Dim &dim) {
    const auto *stride = dyn_cast<SCEVConstant>(dim.stride);
    const auto *bytes = dyn_cast<SCEVConstant>(area.bytes);
    return dim.stride == area.bytes ||
           (stride && bytes && stride->getAPInt().isStrictlyPositive() &&
            stride->getAPInt().ule(bytes->getAPInt()));
  };
  for (auto *dim = find_if(area.dims, touches); dim != area.dims.end();
       dim = find_if(area.dims, touches)) {
    const SCEV *steps = scev_.getMinusSCEV(dim->count, scev_.getOne(dim->count->getType()));
    area.bytes = scev_.getAddExpr(area.bytes, scev_.getMulExpr(dim->stride, steps));
    area.dims.erase(dim);
  }
}

/// How many strides `offset` is, and what is left: the terms that are not multiples.
std::pair<const SCEV *, const SCEV *> EarlierWrites::divide(const SCEV *offset,
                                                            const SCEV *stride) {
  const auto *sum = dyn_cast<SCEVAddExpr>(offset);
  const SCEV *steps = scev_.getZero(offset->getType());
  const SCEV *rest = steps;
  for (const SCEV *term : sum ? sum->operands() : ArrayRef(offset)) {
    const SCEV *quotient = nullptr;
    const SCEV *remainder = nullptr;
    SCEVDivision::divide(scev_, term, stride, &quotient, &remainder);
    const bool isMultiple = remainder->isZero();
    steps = isMultiple ? scev_.getAddExpr(steps, quotient) : steps;
    rest = isMultiple ? rest : scev_.getAddExpr(rest, term);
  }
  return {steps, rest};
}

/// Whether `size` from `offset` on lies in [0, room). Sizes are less than half of what 64 bits
/// hold: so much is written, or looked at by loops that come to an end.
bool EarlierWrites::fits(const SCEV *offset, const SCEV *size, const SCEV *room,
                         const CallInst &read) {
  const SCEV *end = scev_.getAddExpr(offset, size);
  const auto *left = dyn_cast<SCEVConstant>(scev_.getMinusSCEV(room, end));
  const bool endsInside = left ? left->getAPInt().isNonNegative()
                               : scev_.isKnownPredicateAt(ICmpInst::ICMP_ULE, end, room, &read);
  return endsInside && scev_.isKnownPredicateAt(ICmpInst::ICMP_SGE, offset,
                                                scev_.getZero(offset->getType()), &read);
}

/// Whether `outer`, all of which is accessed, has all bytes of `inner`. What is known where `read`
/// stands may be used.
bool EarlierWrites::contains(Area outer, Area inner, const CallInst &read) {
  const SCEV *offset = scev_.getMinusSCEV(inner.base, outer.base);
  if (isa<SCEVCouldNotCompute>(offset)) {
    return false;
  }
  // Rows before columns: what a row's distance leaves of the offset is inside a row.
  for (const Dim &dim : reverse(inner.dims)) {
    const auto [steps, rest] = divide(offset, dim.stride);
    auto *same = find_if(outer.dims, [&](const Dim &other) {
      return other.stride == dim.stride && fits(steps, dim.count, other.count, read);
    });
    if (same != outer.dims.end()) {
      outer.dims.erase(same);
      offset = rest;
      continue;
    }
    const auto *stride = dyn_cast<SCEVConstant>(dim.stride);
    if (!stride || !stride->getAPInt().isStrictlyPositive()) {
      return false;
    }
    const SCEV *last = scev_.getMinusSCEV(dim.count, scev_.getOne(dim.count->getType()));
    inner.bytes = scev_.getAddExpr(inner.bytes, scev_.getMulExpr(stride, last));
  }
  joinRuns(outer);
  return fits(offset, inner.bytes, outer.bytes, read);
}

/// Whether `write` has executed in all iterations of its own loops when an iteration of `shared`
/// gets to `read`.
bool EarlierWrites::runsBefore(const CallInst &write, const CallInst &read, const Loop &shared) {
  if (write.getParent() == read.getParent()) {
    return write.comesBefore(&read);
  }
  const std::pair key(static_cast<const BasicBlock *>(write.getParent()), read.getParent());
  const auto known = passed_.find(key);
  if (known != passed_.end()) {
    return known->second;
  }
  return passed_[key] = mustPass(*write.getParent(), read, shared);
}

/// Whether an iteration of `shared` that gets to `read`, in another block than `write`, has been
/// through all iterations of the loops around `write`, and each of these through `write`.
bool EarlierWrites::mustPass(const BasicBlock &write, const CallInst &read, const Loop &shared) {
  const Loop *around = &shared;
  const BasicBlock *target = read.getParent();
  for (const Loop *loop : loopsInside(loops_, write, shared)) {
    if (isa<SCEVCouldNotCompute>(scev_.getBackedgeTakenCount(loop)) ||
        canAvoid(*around, *loop->getHeader(), target, shared, read)) {
      return false;
    }
    around = loop;
    target = nullptr;
  }
  return !canAvoid(*around, write, target, shared, read);
}

/// Whether an iteration of `loop` can get to `target` (to its own end, if that is null) without
/// entering `avoided`, if it or a later part of the same iteration of `shared` gets to `read`.
bool EarlierWrites::canAvoid(const Loop &loop, const BasicBlock &avoided, const BasicBlock *target,
                             const Loop &shared, const CallInst &read) {
  SmallPtrSet<const BasicBlock *, 16> seen{loop.getHeader()};
  SmallVector<const BasicBlock *, 16> work{loop.getHeader()};
  while (!work.empty()) {
    const BasicBlock *block = work.pop_back_val();
    if (block == &avoided) {
      continue;
    }
    if (block == target) {
      return true;
    }
    const auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    const bool isChoice =
        branch && branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1);
    for (const BasicBlock *next : successors(block)) {
      if (isChoice &&
          isRefuted(branch->getCondition(), next == branch->getSuccessor(0), shared, read)) {
        continue;
      }
      if (next == loop.getHeader() || !loop.contains(next)) {
        if (!target) {
          return true;
        }
      } else if (seen.insert(next).second) {
        work.push_back(next);
      }
    }
  }
  return false;
}

/// Whether an iteration of `shared` that gets to `read` cannot have found that `condition` `holds`.
bool EarlierWrites::isRefuted(const Value *condition, bool holds, const Loop &shared,
                              const CallInst &read) {
  const auto *compare = dyn_cast<ICmpInst>(condition);
  if (!compare || !scev_.isSCEVable(compare->getOperand(0)->getType())) {
    return false;
  }
  const std::pair key(PointerIntPair<const Value *, 1, bool>(condition, holds),
                      std::pair(read.getParent(), &shared));
  const auto [known, isNew] = refuted_.try_emplace(key, false);
  if (isNew) {
    const SCEV *left = scev_.getSCEV(compare->getOperand(0));
    const SCEV *right = scev_.getSCEV(compare->getOperand(1));
    const CmpInst::Predicate opposite =
        holds ? compare->getInversePredicate() : compare->getPredicate();
    known->second = isFixed(left, shared) && isFixed(right, shared) &&
                    scev_.isKnownPredicateAt(opposite, left, right, &read);
  }
  return known->second;
}

} // namespace tutti::compiler
