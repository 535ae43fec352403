// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/carried_values.h"

#include "compiler/analysis/filled_variables.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"

#include <optional>
#include <utility>

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Whether `expression` contains what one of `bounds` is.
bool contains(const SCEV *expression, ArrayRef<const Value *> bounds) {
  return SCEVExprContains(expression, [&](const SCEV *part) {
    const auto *unknown = dyn_cast<SCEVUnknown>(part);
    const Value *value = unknown ? unknown->getValue() : nullptr;
    const auto *frozen = dyn_cast_or_null<FreezeInst>(value);
    return value && is_contained(bounds, frozen ? frozen->getOperand(0) : value);
  });
}

/// By what `inst` combines its first derived operand with others, in whatever order; 0: it does not.
/// `at`: the number of that operand.
unsigned combinationOf(const Instruction &inst, unsigned at) {
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&inst)) {
    switch (const Intrinsic::ID id = intrinsic->getIntrinsicID()) {
    case Intrinsic::smin:
    case Intrinsic::smax:
    case Intrinsic::umin:
    case Intrinsic::umax:
    case Intrinsic::minnum:
    case Intrinsic::maxnum:
    case Intrinsic::minimum:
    case Intrinsic::maximum:
      return unsigned{Instruction::OtherOpsEnd} + id;
    case Intrinsic::fmuladd:
    case Intrinsic::fma:
      return at == 2 ? unsigned{Instruction::FAdd} : 0;
    default:
      return 0;
    }
  }
  switch (inst.getOpcode()) {
  case Instruction::Sub:
  case Instruction::FSub:
  case Instruction::FDiv:
    return at != 0                                    ? 0
           : inst.getOpcode() == Instruction::Sub     ? unsigned{Instruction::Add}
           : inst.getOpcode() == Instruction::FSub    ? unsigned{Instruction::FAdd}
                                                      : unsigned{Instruction::FMul};
  case Instruction::Add:
  case Instruction::FAdd:
  case Instruction::Mul:
  case Instruction::FMul:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
    return inst.getOpcode();
  default:
    return 0;
  }
}

/// Whether `one` and `other` are what `condition` compares.
bool isChoiceBetween(const Value *condition, const Value *one, const Value *other) {
  const auto *test = dyn_cast<CmpInst>(condition);
  return test && ((test->getOperand(0) == one && test->getOperand(1) == other) ||
                  (test->getOperand(0) == other && test->getOperand(1) == one));
}

/// What iterations of one loop leave to each other.
class Carried {
public:
  Carried(const Loop &loop, ChunkModel &model, FunctionAnalysisManager &analyses)
      : loop_(loop), model_(model), loops_(analyses.getResult<LoopAnalysis>(model.function())),
        scev_(analyses.getResult<ScalarEvolutionAnalysis>(model.function())),
        dominators_(analyses.getResult<DominatorTreeAnalysis>(model.function())) {}

  bool isUsed();
  bool isOrdered();

private:
  using Groups = EquivalenceClasses<const Value *>;

  /// What the loop does with one private variable.
  struct Variable {
    SmallVector<Instruction *, 8> accesses;
    bool isWritten = false;
    bool isBegunAnew = false; ///< Each iteration begins its life.
    bool hasEscaped = false;  ///< Others may access it, too.
  };

  const Variable &variableOf(const AllocaInst &variable);
  void collect(const AllocaInst &variable, Variable &found) const;
  bool outlives(const Value &object);
  bool mayOutlive(const Value &pointer);
  bool isCounter(PHINode &phi) const;
  void addSources();
  void addReads(const Value &pointer);
  bool isOfVariables(const Value &pointer);
  bool isQuiet(const Instruction &inst);
  bool passOn(const BranchInst &branch);
  bool passOn(const Instruction &inst, const Use &use);
  bool isOfLast(const BasicBlock &block) const;
  bool passOut(const Instruction &inst);
  void join(const Value &value, const Value &pointer, Groups &groups);
  bool choosesExtremes(const BranchInst &branch) const;
  std::optional<unsigned> combination(const Instruction &inst) const;

  const Loop &loop_;
  ChunkModel &model_;
  const LoopInfo &loops_;
  ScalarEvolution &scev_;
  const DominatorTree &dominators_;
  DenseMap<const AllocaInst *, Variable> variables_;
  SmallSetVector<const Instruction *, 32> derived_; ///< From what other iterations have left.
};

void Carried::collect(const AllocaInst &variable, Variable &found) const {
  SmallVector<const Value *, 8> work{&variable};
  SmallPtrSet<const Value *, 8> seen{&variable};
  while (!work.empty()) {
    for (const Use &use : work.pop_back_val()->uses()) {
      auto *inst = cast<Instruction>(use.getUser());
      const auto *intrinsic = dyn_cast<IntrinsicInst>(inst);
      if (isa<GetElementPtrInst, PHINode, SelectInst, AddrSpaceCastInst>(inst)) {
        if (seen.insert(inst).second) {
          work.push_back(inst);
        }
      } else if (isa<ICmpInst>(inst) || isa<DbgInfoIntrinsic>(inst)) {
        continue;
      } else if (intrinsic && intrinsic->isAssumeLikeIntrinsic()) {
        found.isBegunAnew =
            found.isBegunAnew ||
            (intrinsic->getIntrinsicID() == Intrinsic::lifetime_start && loop_.contains(inst));
      } else if (isa<LoadInst>(inst) || isa<CallBase>(inst) ||
                 (isa<StoreInst>(inst) &&
                  use.getOperandNo() == StoreInst::getPointerOperandIndex())) {
        if (loop_.contains(inst)) {
          found.accesses.push_back(inst);
          const auto *copy = dyn_cast<AnyMemTransferInst>(inst);
          const bool isSource = copy && use.getOperandNo() == 1;
          found.isWritten = found.isWritten || (!isa<LoadInst>(inst) && !isSource);
        }
      } else {
        found.hasEscaped = true;
      }
    }
  }
}

const Carried::Variable &Carried::variableOf(const AllocaInst &variable) {
  const auto [entry, isNew] = variables_.try_emplace(&variable);
  if (isNew) {
    Variable found;
    collect(variable, found);
    variables_[&variable] = std::move(found);
  }
  return variables_[&variable];
}

/// Whether an iteration may find in private `object` what an earlier one has left there.
bool Carried::outlives(const Value &object) {
  if (const auto *variable = dyn_cast<AllocaInst>(&object)) {
    const Variable &found = variableOf(*variable);
    if (found.isBegunAnew || loop_.contains(variable)) {
      return false;
    }
    return found.hasEscaped || (found.isWritten && !isSetBeforeRead(*variable, found.accesses,
                                                                    dominators_, loops_, scev_));
  }
  const auto *call = dyn_cast<CallBase>(&object);
  return call ? !loop_.contains(call) : !isa<Argument>(object) && !isa<Constant>(object);
}

/// The same of all that `pointer` may lead to, if some of it is private.
bool Carried::mayOutlive(const Value &pointer) {
  const MemoryKind kind = memoryKind(&pointer);
  if (kind == MemoryKind::Shared || kind == MemoryKind::Constant) {
    return false;
  }
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(&pointer, objects, nullptr, 0);
  return any_of(objects, [this](const Value *object) { return outlives(*object); });
}

/// Whether `phi` follows from the iteration's number alone.
bool Carried::isCounter(PHINode &phi) const {
  const auto *recurrence =
      scev_.isSCEVable(phi.getType()) ? dyn_cast<SCEVAddRecExpr>(scev_.getSCEV(&phi)) : nullptr;
  return recurrence && recurrence->getLoop() == &loop_ && recurrence->isAffine() &&
         contains(recurrence->getStart(), {model_.lower()});
}

/// All reads of what `pointer` leads to.
void Carried::addReads(const Value &pointer) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(&pointer, objects, nullptr, 0);
  for (const Value *object : objects) {
    if (const auto *variable = dyn_cast<AllocaInst>(object)) {
      for (const Instruction *access : variableOf(*variable).accesses) {
        if (!isa<StoreInst>(access)) {
          derived_.insert(access);
        }
      }
    }
  }
}

void Carried::addSources() {
  for (PHINode &phi : loop_.getHeader()->phis()) {
    if (!isCounter(phi)) {
      derived_.insert(&phi);
    }
  }
  for (const BasicBlock *block : loop_.blocks()) {
    for (const Instruction &inst : *block) {
      const auto *call = dyn_cast<CallBase>(&inst);
      const auto *load = dyn_cast<LoadInst>(&inst);
      const auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
      if (load && mayOutlive(*load->getPointerOperand())) {
        derived_.insert(&inst);
      } else if (call && !(intrinsic && intrinsic->isAssumeLikeIntrinsic()) &&
                 call->mayReadFromMemory() && any_of(call->args(), [this](const Use &argument) {
                   return argument->getType()->isPointerTy() && mayOutlive(*argument);
                 })) {
        derived_.insert(&inst);
      }
    }
  }
}

/// Whether `pointer` leads to nothing but variables that only what is seen accesses.
bool Carried::isOfVariables(const Value &pointer) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(&pointer, objects, nullptr, 0);
  return all_of(objects, [this](const Value *object) {
    const auto *variable = dyn_cast<AllocaInst>(object);
    return variable && !variableOf(*variable).hasEscaped;
  });
}

/// Whether it does not matter if `inst` is executed, but for what then is in private variables.
bool Carried::isQuiet(const Instruction &inst) {
  const Value *pointer = getLoadStorePointerOperand(&inst);
  return pointer ? isOfVariables(*pointer)
                 : !inst.mayReadOrWriteMemory() && !inst.mayHaveSideEffects();
}

/// Follows a derived condition to what depends on the way: what is chosen where both meet, and what
/// variables hold then. Whether more depends on it.
bool Carried::passOn(const BranchInst &branch) {
  SmallVector<const BasicBlock *, 2> ways;
  const BasicBlock *join = nullptr;
  for (const BasicBlock *way : branch.successors()) {
    const bool isOneWay = way->getSinglePredecessor() == branch.getParent() &&
                          way->getSingleSuccessor() &&
                          all_of(*way, [this](const Instruction &inst) { return isQuiet(inst); });
    const BasicBlock *end = isOneWay ? way->getSingleSuccessor() : way;
    if (isOneWay) {
      ways.push_back(way);
    }
    if (join && join != end) {
      return true;
    }
    join = end;
  }
  if (ways.empty() || join == loop_.getHeader()) {
    return true;
  }
  for (const PHINode &phi : join->phis()) {
    derived_.insert(&phi);
  }
  for (const BasicBlock *way : ways) {
    for (const Instruction &inst : *way) {
      if (const auto *store = dyn_cast<StoreInst>(&inst)) {
        addReads(*store->getPointerOperand());
      }
    }
  }
  return false;
}

/// Follows a derived value to who uses it; whether it matters there.
bool Carried::passOn(const Instruction &inst, const Use &use) {
  const auto *store = dyn_cast<StoreInst>(&inst);
  if (store && use.getOperandNo() != StoreInst::getPointerOperandIndex()) {
    addReads(*store->getPointerOperand());
    return !isOfVariables(*store->getPointerOperand());
  }
  const auto *branch = dyn_cast<BranchInst>(&inst);
  if (branch && branch->isConditional() && !passOn(*branch)) {
    return false;
  }
  const bool isEnd = inst.getParent() == loop_.getLoopLatch() && inst.isTerminator();
  if (!isEnd && (inst.mayReadOrWriteMemory() || inst.isTerminator())) {
    return true;
  }
  derived_.insert(&inst);
  return false;
}

/// Whether `block` is executed only by who has the loop's last iteration.
bool Carried::isOfLast(const BasicBlock &block) const {
  return any_of(model_.isLast()->users(), [&](const User *test) {
    return any_of(test->users(), [&](const User *user) {
      const auto *branch = dyn_cast<BranchInst>(user);
      return branch && any_of(branch->successors(), [&](const BasicBlock *way) {
               return way->getSinglePredecessor() && dominators_.dominates(way, &block);
             });
    });
  });
}

/// Follows a derived value out of the loop; whether the last iteration leaves it to others: an
/// iteration that has not set it. What is reduced does not count.
bool Carried::passOut(const Instruction &inst) {
  if (isa<StoreInst>(inst)) {
    return isOfLast(*inst.getParent());
  }
  if (!inst.mayReadOrWriteMemory() && !inst.isTerminator()) {
    derived_.insert(&inst);
  }
  return false;
}

/// `value` is in the variables that `pointer` leads to.
void Carried::join(const Value &value, const Value &pointer, Groups &groups) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(&pointer, objects, nullptr, 0);
  for (const Value *object : objects) {
    groups.unionSets(&value, object);
  }
}

/// Whether `branch`, on which nothing but values depends, keeps the larger or smaller of two.
bool Carried::choosesExtremes(const BranchInst &branch) const {
  const Value *condition = branch.getCondition();
  for (const BasicBlock *way : branch.successors()) {
    const bool isJoin = way->getSinglePredecessor() != branch.getParent();
    const BasicBlock *end = isJoin ? way : way->getSingleSuccessor();
    for (const PHINode &phi : end ? end->phis() : way->phis()) {
      const int from = phi.getBasicBlockIndex(isJoin ? branch.getParent() : way);
      for (const Value *value : phi.incoming_values()) {
        const Value *here = from < 0 ? nullptr : phi.getIncomingValue(unsigned(from));
        if (value != here && !(here && isChoiceBetween(condition, value, here))) {
          return false;
        }
      }
    }
    for (const Instruction &inst : *way) {
      const auto *store = isJoin ? nullptr : dyn_cast<StoreInst>(&inst);
      const auto *test = store ? dyn_cast<CmpInst>(condition) : nullptr;
      if (store && !(test && is_contained(test->operand_values(), store->getValueOperand()))) {
        return false;
      }
    }
  }
  return true;
}

/// By what derived `inst` combines what is left with what is new; 0: it only passes it on. Nothing
/// if the result depends on the order.
std::optional<unsigned> Carried::combination(const Instruction &inst) const {
  const auto isDerived = [this](const Value *value) {
    const auto *operand = dyn_cast<Instruction>(value);
    return operand && loop_.contains(operand) && derived_.contains(operand);
  };
  if (isa<PHINode, LoadInst, FreezeInst, ZExtInst, SExtInst, TruncInst, FPExtInst, FPTruncInst>(
          inst) ||
      inst.isTerminator()) {
    return 0;
  }
  if (const auto *select = dyn_cast<SelectInst>(&inst)) {
    const Value *condition = select->getCondition();
    const Value *one = select->getTrueValue();
    const Value *other = select->getFalseValue();
    if (!isDerived(condition)) {
      return 0;
    }
    if (isChoiceBetween(condition, one, other) && isDerived(one) != isDerived(other)) {
      const auto *test = cast<CmpInst>(condition);
      const CmpInst::Predicate predicate =
          test->getOperand(0) == one ? test->getPredicate() : test->getSwappedPredicate();
      const bool isMore = predicate == CmpInst::ICMP_SGT || predicate == CmpInst::ICMP_SGE ||
                          predicate == CmpInst::ICMP_UGT || predicate == CmpInst::ICMP_UGE ||
                          predicate == CmpInst::FCMP_OGT || predicate == CmpInst::FCMP_OGE ||
                          predicate == CmpInst::FCMP_UGT || predicate == CmpInst::FCMP_UGE;
      return unsigned{Instruction::OtherOpsEnd} + Intrinsic::num_intrinsics + (isMore ? 1 : 2);
    }
    const auto *constant = dyn_cast<ConstantInt>(isDerived(one) || one == condition ? other : one);
    const bool isLogic = select->getType()->isIntegerTy(1) && constant &&
                         !isDerived(one) && !isDerived(other);
    return isLogic ? std::optional<unsigned>(constant == other ? Instruction::And
                                                               : Instruction::Or)
                   : std::nullopt;
  }
  const auto derived = make_filter_range(
      inst.operands(), [&](const Use &operand) { return isDerived(operand.get()); });
  if (!hasSingleElement(derived)) {
    return std::nullopt;
  }
  if (isa<CmpInst>(inst)) {
    return 0;
  }
  const unsigned combination = combinationOf(inst, (*derived.begin()).getOperandNo());
  return combination ? std::optional(combination) : std::nullopt;
}

/// Whether what is left at the end depends on the order of iterations, if nothing else does: unless
/// each of them only adds to it, or only multiplies, or only keeps the extreme.
bool Carried::isOrdered() {
  Groups groups;
  SmallVector<std::pair<const Value *, unsigned>, 16> combinations;
  for (const Instruction *inst : derived_) {
    if (!loop_.contains(inst)) {
      continue;
    }
    const auto found = combination(*inst);
    if (!found) {
      return true;
    }
    groups.insert(inst);
    if (*found) {
      combinations.emplace_back(inst, *found);
    }
    if (const auto *load = dyn_cast<LoadInst>(inst)) {
      join(*load, *load->getPointerOperand(), groups);
    }
    for (const Use &use : inst->uses()) {
      const auto *user = cast<Instruction>(use.getUser());
      const auto *store = dyn_cast<StoreInst>(user);
      const auto *branch = dyn_cast<BranchInst>(user);
      if (!loop_.contains(user)) {
        continue;
      }
      if (store) {
        join(*inst, *store->getPointerOperand(), groups);
      } else if (derived_.contains(user)) {
        groups.unionSets(inst, user);
      } else if (branch && !choosesExtremes(*branch)) {
        return true;
      }
    }
  }
  DenseMap<const Value *, unsigned> known;
  return any_of(combinations, [&](const auto &combined) {
    const auto [entry, isNew] =
        known.try_emplace(groups.getLeaderValue(combined.first), combined.second);
    return !isNew && entry->second != combined.second;
  });
}

bool Carried::isUsed() {
  addSources();
  for (unsigned at = 0; at < derived_.size(); ++at) {
    const Instruction &inst = *derived_[at];
    if (isa<CallBase>(inst) && inst.mayWriteToMemory()) {
      return true; // What it writes may be derived, too.
    }
    for (const Use &use : inst.uses()) {
      const auto *user = cast<Instruction>(use.getUser());
      if (loop_.contains(user) ? passOn(*user, use) : passOut(*user)) {
        return true;
      }
    }
  }
  return false;
}

} // namespace

CarriedValues carriedValues(ChunkModel &model, FunctionAnalysisManager &analyses) {
  auto &scev = analyses.getResult<ScalarEvolutionAnalysis>(model.function());
  const auto isOfChunk = [&](const Loop *loop) {
    const SCEV *taken = scev.getBackedgeTakenCount(loop);
    return !isa<SCEVCouldNotCompute>(taken) && contains(taken, {model.lower(), model.upper()});
  };
  // Others begin and combine what is reduced.
  const LoopInfo &loops = analyses.getResult<LoopAnalysis>(model.function());
  const bool isKnown = any_of(loops, isOfChunk);
  CarriedValues values;
  for (const Loop *loop : loops) {
    if (isKnown && !isOfChunk(loop)) {
      continue;
    }
    Carried carried(*loop, model, analyses);
    values.areUsed = values.areUsed || carried.isUsed();
    values.areOrdered = values.areUsed || values.areOrdered || carried.isOrdered();
  }
  return values;
}

} // namespace tutti::compiler
