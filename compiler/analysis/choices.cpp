// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/choices.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

constexpr std::size_t kMostChoices = 16;

/// Puts one expression in the place of another one.
class Replace : public SCEVRewriteVisitor<Replace> {
public:
  Replace(ScalarEvolution &scev, const SCEV *old, const SCEV *now) : SCEVRewriteVisitor(scev) {
    RewriteResults[old] = now;
  }

  /// That a recurrence does not wrap around is known only where it is chosen.
  const SCEV *visitAddRecExpr(const SCEVAddRecExpr *recurrence) {
    SmallVector<const SCEV *, 2> operands;
    for (const SCEV *operand : recurrence->operands()) {
      operands.push_back(visit(operand));
    }
    return equal(operands, recurrence->operands())
               ? recurrence
               : SE.getAddRecExpr(operands, recurrence->getLoop(), SCEV::FlagAnyWrap);
  }
};

/// Whether no program gets to what `value` is a pointer to, or uses it as an index.
bool isNowhere(const Value *value) { return isa<ConstantPointerNull, UndefValue>(value); }

class Finder {
public:
  Finder(const LoopInfo &loops, ScalarEvolution &scev, function_ref<bool(const SCEV *)> isKnown)
      : loops_(loops), scev_(scev), isKnown_(isKnown) {}

  SmallVector<Choice, 4> find(const SCEV *expression);

private:
  bool isChosen(const SCEV *part) const;
  void expand(const Choice &choice, const SCEV *part);
  void expandPhi(const Choice &choice, const SCEV *part, PHINode &phi);
  void add(const Choice &choice, const SCEV *part, const SCEV *now, Value *condition, bool holds);

  const LoopInfo &loops_;
  ScalarEvolution &scev_;
  function_ref<bool(const SCEV *)> isKnown_;
  SmallVector<Choice, 4> work_;
};

bool Finder::isChosen(const SCEV *part) const {
  if (isa<SCEVMinMaxExpr, SCEVSequentialMinMaxExpr>(part)) {
    return !isKnown_(part);
  }
  const auto *unknown = dyn_cast<SCEVUnknown>(part);
  const auto *inst = unknown ? dyn_cast<Instruction>(unknown->getValue()) : nullptr;
  const auto *phi = dyn_cast_or_null<PHINode>(inst);
  const auto *select = dyn_cast_or_null<SelectInst>(inst);
  const bool isOneOf = inst && (inst->getType()->isIntegerTy(1) ||
                                (select && select->getCondition()->getType()->isIntegerTy(1)) ||
                                (phi && !loops_.isLoopHeader(phi->getParent())));
  return isOneOf && !isKnown_(part);
}

/// Adds `choice` with `now` in the place of `part`, unless it never is.
void Finder::add(const Choice &choice, const SCEV *part, const SCEV *now, Value *condition,
                 bool holds) {
  const auto isOpposite = [&](const Choice::Condition &other) {
    return other.condition == condition && other.holds != holds;
  };
  if (condition && any_of(choice.conditions, isOpposite)) {
    return;
  }
  Choice &made = work_.emplace_back(choice);
  made.expression = Replace(scev_, part, now).visit(choice.expression);
  if (condition) {
    made.conditions.push_back({condition, holds});
  }
}

void Finder::expandPhi(const Choice &choice, const SCEV *part, PHINode &phi) {
  SmallSetVector<Value *, 4> values;
  for (Value *value : phi.incoming_values()) {
    if (!isNowhere(value)) {
      values.insert(value);
    }
  }
  for (Value *value : values) {
    add(choice, part, scev_.getSCEV(value), nullptr, false);
    Choice &made = work_.back();
    if (phi.getNumIncomingValues() == 1) {
      continue;
    }
    // Only of one way here it can be said when it is taken.
    const auto isOther = [&](const BasicBlock *from) {
      return phi.getIncomingValueForBlock(from) != value;
    };
    BasicBlock *from = *find_if_not(phi.blocks(), isOther);
    auto *branch = dyn_cast<BranchInst>(from->getTerminator());
    if (count_if(phi.blocks(), isOther) + 1 != phi.getNumIncomingValues() || !branch ||
        loops_.getLoopFor(from) != loops_.getLoopFor(phi.getParent())) {
      made.isExact = false;
      continue;
    }
    made.through.push_back(from);
    if (branch->isConditional()) {
      made.conditions.push_back(
          {branch->getCondition(), branch->getSuccessor(0) == phi.getParent()});
    }
  }
}

void Finder::expand(const Choice &choice, const SCEV *part) {
  const auto *unknown = dyn_cast<SCEVUnknown>(part);
  if (!unknown) {
    for (const SCEV *operand : part->operands()) {
      add(choice, part, operand, nullptr, false);
      work_.back().isExact = false;
    }
  } else if (part->getType()->isIntegerTy(1)) {
    for (const bool holds : {true, false}) {
      add(choice, part, scev_.getConstant(part->getType(), holds), unknown->getValue(), holds);
    }
  } else if (auto *select = dyn_cast<SelectInst>(unknown->getValue())) {
    for (const bool holds : {true, false}) {
      Value *value = holds ? select->getTrueValue() : select->getFalseValue();
      if (!isNowhere(value)) {
        add(choice, part, scev_.getSCEV(value), select->getCondition(), holds);
      }
    }
  } else {
    expandPhi(choice, part, *cast<PHINode>(unknown->getValue()));
  }
}

SmallVector<Choice, 4> Finder::find(const SCEV *expression) {
  SmallVector<Choice, 4> found;
  work_.push_back({expression, {}, {}});
  // Where blocks lead back without a loop, a phi may be one of itself: that never ends.
  for (std::size_t steps = 0; !work_.empty(); ++steps) {
    if (found.size() + work_.size() > kMostChoices || steps > 2 * kMostChoices) {
      return {};
    }
    const Choice choice = work_.pop_back_val();
    const SCEV *chosen = nullptr;
    SCEVExprContains(choice.expression, [&](const SCEV *part) {
      chosen = isChosen(part) ? part : nullptr;
      return chosen != nullptr;
    });
    if (chosen) {
      expand(choice, chosen);
    } else {
      found.push_back(choice);
    }
  }
  return found;
}

} // namespace

SmallVector<Choice, 4> choicesOf(const SCEV *expression, const LoopInfo &loops,
                                 ScalarEvolution &scev, function_ref<bool(const SCEV *)> isKnown) {
  return Finder(loops, scev, isKnown).find(expression);
}

} // namespace tutti::compiler
