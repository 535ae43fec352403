// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/independent_loop.h"

#include "compiler/analysis/worksharing.h"
#include "compiler/ir/fragment_calls.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

#include <optional>
#include <vector>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tutti::compiler {

namespace {

/// What one instruction touches in iteration i of the loop: `low` up to `high`, moved by i times
/// `stride`. All are invariant.
struct Lane {
  const SCEV *low;
  const SCEV *high;
  const SCEV *stride;
};

struct Access {
  Instruction *instruction;
  const Value *pointer;
  Type *type;
  bool writes;
  const Argument *fragment;
  /// Which only one iteration of the loop comes to, on its way to the instruction; or null.
  const BasicBlock *once;
};

class Lanes {
public:
  Lanes(const Loop &loop, ScalarEvolution &scev) : loop_(loop), scev_(scev) {}

  std::optional<Lane> of(const Access &access) const;

  /// Whether two of them have no byte in common in different iterations.
  bool areApart(const Lane &one, const Lane &other) const;

private:
  const SCEV *takenOf(const Loop &inner) const;
  bool isAtMost(const SCEV *part, const SCEV *whole) const;

  const Loop &loop_;
  ScalarEvolution &scev_;
};

/// How often the loop's backedge is taken, if that is the same in all iterations.
const SCEV *Lanes::takenOf(const Loop &inner) const {
  const SCEV *taken = scev_.getBackedgeTakenCount(&inner);
  return isa<SCEVCouldNotCompute>(taken) || !scev_.isLoopInvariant(taken, &loop_) ? nullptr : taken;
}

std::optional<Lane> Lanes::of(const Access &access) const {
  const SCEV *place = scev_.getSCEV(const_cast<Value *>(access.pointer));
  Type *index = scev_.getEffectiveSCEVType(place->getType());
  const SCEV *below = scev_.getZero(index);
  const SCEV *above = scev_.getStoreSizeOfExpr(index, access.type);
  const SCEV *stride = scev_.getZero(index);
  while (const auto *recurrence = dyn_cast<SCEVAddRecExpr>(place)) {
    const SCEV *step = recurrence->getStepRecurrence(scev_);
    if (!recurrence->isAffine() || !scev_.isLoopInvariant(step, &loop_)) {
      return std::nullopt;
    }
    if (recurrence->getLoop() == &loop_) {
      stride = step;
    } else {
      const SCEV *taken =
          loop_.contains(recurrence->getLoop()) ? takenOf(*recurrence->getLoop()) : nullptr;
      if (!taken || scev_.getTypeSizeInBits(taken->getType()) > scev_.getTypeSizeInBits(index)) {
        return std::nullopt;
      }
      const SCEV *way = scev_.getMulExpr(step, scev_.getNoopOrZeroExtend(taken, index));
      if (scev_.isKnownNonNegative(step)) {
        above = scev_.getAddExpr(above, way);
      } else if (scev_.isKnownNegative(step)) {
        below = scev_.getAddExpr(below, way);
      } else {
        return std::nullopt;
      }
    }
    place = recurrence->getStart();
  }
  if (!scev_.isLoopInvariant(place, &loop_)) {
    return std::nullopt;
  }
  return Lane{scev_.getAddExpr(place, below), scev_.getAddExpr(place, above), stride};
}

bool Lanes::isAtMost(const SCEV *part, const SCEV *whole) const {
  const SCEV *left = scev_.getMinusSCEV(whole, part);
  return scev_.isKnownNonNegative(left);
}

bool Lanes::areApart(const Lane &one, const Lane &other) const {
  const SCEV *stride = one.stride;
  if (stride != other.stride || stride->isZero()) {
    return false;
  }
  if (scev_.isKnownNegative(stride)) {
    stride = scev_.getNegativeSCEV(stride);
  } else if (!scev_.isKnownNonNegative(stride)) {
    return false;
  }
  const SCEV *first = scev_.getMinusSCEV(one.high, other.low);
  const SCEV *second = scev_.getMinusSCEV(other.high, one.low);
  return !isa<SCEVCouldNotCompute>(first) && !isa<SCEVCouldNotCompute>(second) &&
         isAtMost(first, stride) && isAtMost(second, stride);
}

std::string describe(const Argument &fragment) {
  return fragment.hasName() ? ("'" + fragment.getName() + "'").str()
                            : "parameter " + std::to_string(fragment.getArgNo() + 1);
}

/// Why the instruction cannot be part of an iteration; adds what it touches to `accesses`.
std::string survey(Instruction &inst, std::vector<Access> &accesses) {
  const auto add = [&](const Value *pointer, Type *type, bool writes) -> std::string {
    const Argument *fragment = fragmentBehind(pointer);
    if (!fragment) {
      return "it touches memory that is no data fragment's";
    }
    accesses.push_back({&inst, pointer, type, writes, fragment, nullptr});
    return "";
  };
  if (const auto *load = dyn_cast<LoadInst>(&inst)) {
    return load->isSimple() ? add(load->getPointerOperand(), load->getType(), false)
                            : "it touches volatile or atomic memory";
  }
  if (const auto *store = dyn_cast<StoreInst>(&inst)) {
    return store->isSimple()
               ? add(store->getPointerOperand(), store->getValueOperand()->getType(), true)
               : "it touches volatile or atomic memory";
  }
  if (const auto *call = dyn_cast<CallBase>(&inst)) {
    return mayStandInLoop(*call) ? "" : describeCall(*call);
  }
  return isa<AllocaInst>(inst) || inst.mayReadOrWriteMemory() ? "it uses memory of its own" : "";
}

/// Whether `condition` is `isTrue` in one iteration at most: only then a counter, which never comes
/// to a number twice, is what does not change.
bool holdsOnce(const Value *condition, bool isTrue, const Loop &loop, ScalarEvolution &scev) {
  const Value *one = nullptr;
  const Value *other = nullptr;
  if (isTrue ? match(condition, m_LogicalAnd(m_Value(one), m_Value(other)))
             : match(condition, m_LogicalOr(m_Value(one), m_Value(other)))) {
    return holdsOnce(one, isTrue, loop, scev) || holdsOnce(other, isTrue, loop, scev);
  }
  const auto *compare = dyn_cast<ICmpInst>(condition);
  if (!compare || !scev.isSCEVable(compare->getOperand(0)->getType()) ||
      compare->getPredicate() != (isTrue ? ICmpInst::ICMP_EQ : ICmpInst::ICMP_NE)) {
    return false;
  }
  const SCEV *counter = scev.getSCEV(compare->getOperand(0));
  const SCEV *number = scev.getSCEV(compare->getOperand(1));
  if (scev.isLoopInvariant(counter, &loop)) {
    std::swap(counter, number);
  }
  const auto *recurrence = dyn_cast<SCEVAddRecExpr>(counter);
  const SCEV *taken = scev.getBackedgeTakenCount(&loop);
  if (!recurrence || recurrence->getLoop() != &loop || !recurrence->isAffine() ||
      !scev.isLoopInvariant(number, &loop) || isa<SCEVCouldNotCompute>(taken) ||
      scev.getTypeSizeInBits(taken->getType()) > scev.getTypeSizeInBits(recurrence->getType())) {
    return false;
  }
  const SCEV *step = recurrence->getStepRecurrence(scev);
  return step->isOne() || step->isAllOnesValue();
}

/// Whether a branch goes to `block` in one iteration at most.
bool isEnteredOnce(const BasicBlock &block, const Loop &loop, ScalarEvolution &scev) {
  const BasicBlock *from = block.getSinglePredecessor();
  const auto *branch = from ? dyn_cast<BranchInst>(from->getTerminator()) : nullptr;
  return branch && branch->isConditional() && loop.contains(from) && loop.getHeader() != &block &&
         holdsOnce(branch->getCondition(), branch->getSuccessor(0) == &block, loop, scev);
}

const BasicBlock *onceOf(const Instruction &inst, const Loop &loop, ScalarEvolution &scev,
                         const DominatorTree &dominators) {
  const BasicBlock *block = inst.getParent();
  while (block != loop.getHeader() && !isEnteredOnce(*block, loop, scev)) {
    block = dominators.getNode(block)->getIDom()->getBlock();
  }
  return block != loop.getHeader() ? block : nullptr;
}

} // namespace

std::string whyDependent(const Loop &loop, ScalarEvolution &scev, const DominatorTree &dominators,
                         DebugLoc &place) {
  std::vector<Access> accesses;
  for (BasicBlock *block : loop.blocks()) {
    for (Instruction &inst : *block) {
      if (std::string reason = survey(inst, accesses); !reason.empty()) {
        place = inst.getDebugLoc();
        return reason;
      }
    }
  }
  for (Access &access : accesses) {
    access.once = onceOf(*access.instruction, loop, scev, dominators);
  }
  const Lanes lanes(loop, scev);
  for (const Access &store : accesses) {
    if (!store.writes) {
      continue;
    }
    const std::optional<Lane> written = lanes.of(store);
    for (const Access &other : accesses) {
      if (other.fragment != store.fragment || (store.once && store.once == other.once)) {
        continue;
      }
      const std::optional<Lane> touched = lanes.of(other);
      if (!written || !touched || !lanes.areApart(*written, *touched)) {
        place = store.instruction->getDebugLoc();
        return "its iterations may touch the same elements of " + describe(*store.fragment);
      }
    }
  }
  return "";
}

} // namespace tutti::compiler
