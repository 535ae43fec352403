// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/left_values.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// More elements are not copied for each thread.
constexpr std::uint64_t kMostElements = 4096;

bool isScalar(const Type &type) {
  return type.isFloatTy() || type.isDoubleTy() ||
         (type.isIntegerTy() && type.getIntegerBitWidth() >= 8 && type.getIntegerBitWidth() <= 64);
}

Combination ofSum(const BinaryOperator &inst) {
  switch (inst.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
    return {AtomicRMWInst::Add};
  case Instruction::FAdd:
  case Instruction::FSub:
    return {AtomicRMWInst::FAdd};
  case Instruction::And:
    return {AtomicRMWInst::And};
  case Instruction::Or:
    return {AtomicRMWInst::Or};
  case Instruction::Xor:
    return {AtomicRMWInst::Xor};
  default:
    return {};
  }
}

Combination ofExtreme(const IntrinsicInst &inst) {
  switch (inst.getIntrinsicID()) {
  case Intrinsic::maxnum:
    return {AtomicRMWInst::FMax};
  case Intrinsic::minnum:
    return {AtomicRMWInst::FMin};
  case Intrinsic::smax:
    return {AtomicRMWInst::Max};
  case Intrinsic::smin:
    return {AtomicRMWInst::Min};
  case Intrinsic::umax:
    return {AtomicRMWInst::UMax};
  case Intrinsic::umin:
    return {AtomicRMWInst::UMin};
  default:
    return {};
  }
}

/// Whether `inst` adds a product to its last operand.
bool isSumWithProduct(const IntrinsicInst &inst) {
  return inst.getIntrinsicID() == Intrinsic::fmuladd || inst.getIntrinsicID() == Intrinsic::fma;
}

/// If a new value is taken that compares by `taken` with the one that there was.
Combination ofChoice(CmpInst::Predicate taken) {
  switch (taken) {
  case CmpInst::FCMP_OGT:
  case CmpInst::FCMP_OGE:
  case CmpInst::FCMP_UGT:
  case CmpInst::FCMP_UGE:
    return {AtomicRMWInst::BAD_BINOP, CmpInst::FCMP_OGT};
  case CmpInst::FCMP_OLT:
  case CmpInst::FCMP_OLE:
  case CmpInst::FCMP_ULT:
  case CmpInst::FCMP_ULE:
    return {AtomicRMWInst::BAD_BINOP, CmpInst::FCMP_OLT};
  case CmpInst::ICMP_SGT:
  case CmpInst::ICMP_SGE:
    return {AtomicRMWInst::Max};
  case CmpInst::ICMP_SLT:
  case CmpInst::ICMP_SLE:
    return {AtomicRMWInst::Min};
  case CmpInst::ICMP_UGT:
  case CmpInst::ICMP_UGE:
    return {AtomicRMWInst::UMax};
  case CmpInst::ICMP_ULT:
  case CmpInst::ICMP_ULE:
    return {AtomicRMWInst::UMin};
  default:
    return {};
  }
}

/// The choice between two values by their comparison.
struct Choice {
  const CmpInst *compare = nullptr;
  bool takesFirst = false; ///< Whether the first of them is taken where it is true.

  /// If `old` is what there was, and the other value is new.
  Combination combination(const Value *old) const {
    const bool isOldFirst = compare->getOperand(0) == old;
    const CmpInst::Predicate truth = isOldFirst
                                         ? CmpInst::getSwappedPredicate(compare->getPredicate())
                                         : compare->getPredicate();
    return ofChoice(isOldFirst != takesFirst ? truth : CmpInst::getInversePredicate(truth));
  }
};

/// The branch that decides whether `block` is gone through on the way to `join`.
const BranchInst *deciding(const BasicBlock &block, const BasicBlock &join) {
  const BasicBlock *from = &block;
  if (const auto *branch = dyn_cast<BranchInst>(from->getTerminator());
      branch && branch->isConditional()) {
    return is_contained(successors(from), &join) ? branch : nullptr;
  }
  const BasicBlock *before = block.getSinglePredecessor();
  const auto *branch = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
  return branch && branch->isConditional() && block.getSingleSuccessor() == &join ? branch
                                                                                  : nullptr;
}

std::optional<Choice> choiceOf(const Instruction &inst) {
  if (const auto *select = dyn_cast<SelectInst>(&inst)) {
    const auto *compare = dyn_cast<CmpInst>(select->getCondition());
    const Value *one = select->getTrueValue(), *other = select->getFalseValue();
    if (compare && compare->getOperand(0) == one && compare->getOperand(1) == other) {
      return Choice{compare, true};
    }
    if (compare && compare->getOperand(0) == other && compare->getOperand(1) == one) {
      return Choice{compare, false};
    }
    return std::nullopt;
  }
  const auto *phi = dyn_cast<PHINode>(&inst);
  if (!phi || phi->getNumIncomingValues() != 2 ||
      phi->getIncomingBlock(0) == phi->getIncomingBlock(1)) {
    return std::nullopt;
  }
  const BasicBlock &join = *phi->getParent();
  const BranchInst *branch = deciding(*phi->getIncomingBlock(0), join);
  const auto *compare = branch ? dyn_cast<CmpInst>(branch->getCondition()) : nullptr;
  if (!compare || branch != deciding(*phi->getIncomingBlock(1), join) ||
      branch->getSuccessor(0) == branch->getSuccessor(1)) {
    return std::nullopt;
  }
  const BasicBlock *onTrue =
      branch->getSuccessor(0) == &join ? branch->getParent() : branch->getSuccessor(0);
  const Value *one = phi->getIncomingValueForBlock(onTrue);
  const Value *other = phi->getIncomingValue(phi->getIncomingBlock(0) == onTrue ? 1 : 0);
  if (compare->getOperand(0) == one && compare->getOperand(1) == other) {
    return Choice{compare, true};
  }
  if (compare->getOperand(0) == other && compare->getOperand(1) == one) {
    return Choice{compare, false};
  }
  return std::nullopt;
}

/// Whether the ways from `branch` to `join` differ in `phi` and `store` at most.
bool decidesOnly(const BranchInst &branch, const BasicBlock &join, const PHINode *phi,
                 const StoreInst *store) {
  for (const BasicBlock *way : successors(branch.getParent())) {
    const bool isDirect = way == &join;
    if (!isDirect &&
        (way->getSinglePredecessor() != branch.getParent() || way->getSingleSuccessor() != &join)) {
      return false;
    }
    if (!isDirect && any_of(*way, [&](const Instruction &inst) {
          return &inst != store && !inst.isTerminator() && inst.mayHaveSideEffects();
        })) {
      return false;
    }
  }
  return all_of(join.phis(), [&](const PHINode &other) {
    return &other == phi || other.hasConstantOrUndefValue();
  });
}

/// The operations by which a loop makes one value of another, in whatever loops and branches.
class Chain {
public:
  explicit Chain(const ConductedLoop &loop) : loop_(loop) {}

  std::optional<LeftValue> find(Instruction &value);

private:
  bool visit(Instruction &inst);
  bool follow(Use &use);
  bool takeStep(Instruction &inst, const Use &one, const Use &other, const Combination &how);
  bool dependsOn(const Value &value, const Instruction &target) const;
  bool isUsedElsewhere(const Instruction &value) const;
  bool beginsOnce() const;

  const ConductedLoop &loop_;
  SmallSetVector<Instruction *, 16> members_;
  SmallPtrSet<const Instruction *, 8> steps_;
  SmallPtrSet<const Instruction *, 4> compares_;
  LeftValue left_;
};

/// Whether `value` is computed from `target` by operations as a chain has them.
bool Chain::dependsOn(const Value &value, const Instruction &target) const {
  SmallSetVector<const Value *, 16> work;
  work.insert(&value);
  for (unsigned at = 0; at < work.size(); ++at) {
    const auto *inst = dyn_cast<Instruction>(work[at]);
    if (inst == &target) {
      return true;
    }
    if (inst && loop_.contains(*inst) &&
        isa<PHINode, BinaryOperator, SelectInst, IntrinsicInst>(inst)) {
      work.insert(inst->op_begin(), inst->op_end());
    }
  }
  return false;
}

/// `inst` makes a new value of that of the chain, one of its operands, and another one.
bool Chain::takeStep(Instruction &inst, const Use &one, const Use &other, const Combination &how) {
  const bool isOne = dependsOn(*one.get(), inst);
  if (isOne == dependsOn(*other.get(), inst) || !how.isKnown() ||
      (left_.combination.isKnown() && !(left_.combination == how))) {
    return false;
  }
  left_.combination = how;
  steps_.insert(&inst);
  return follow(const_cast<Use &>(isOne ? one : other));
}

bool Chain::follow(Use &use) {
  auto *inst = dyn_cast<Instruction>(use.get());
  if (inst && loop_.contains(*inst)) {
    return visit(*inst);
  }
  left_.begin.push_back(&use);
  return isa<PHINode>(use.getUser()) && use.get() == left_.begin.front()->get();
}

bool Chain::visit(Instruction &inst) {
  if (!members_.insert(&inst)) {
    return true;
  }
  if (auto *sum = dyn_cast<BinaryOperator>(&inst)) {
    return takeStep(inst, sum->getOperandUse(0), sum->getOperandUse(1), ofSum(*sum)) &&
           (sum->isCommutative() || members_.contains(dyn_cast<Instruction>(sum->getOperand(0))));
  }
  if (auto *extreme = dyn_cast<IntrinsicInst>(&inst)) {
    if (isSumWithProduct(*extreme)) {
      return !dependsOn(*extreme->getArgOperand(1), inst) &&
             takeStep(inst, extreme->getArgOperandUse(2), extreme->getArgOperandUse(0),
                      {AtomicRMWInst::FAdd}) &&
             members_.contains(dyn_cast<Instruction>(extreme->getArgOperand(2)));
    }
    return extreme->arg_size() == 2 && takeStep(inst, extreme->getArgOperandUse(0),
                                                extreme->getArgOperandUse(1), ofExtreme(*extreme));
  }
  if (const auto choice = choiceOf(inst)) {
    const unsigned first = isa<SelectInst>(inst) ? 1 : 0;
    const Use &one = inst.getOperandUse(first), &other = inst.getOperandUse(first + 1);
    const bool isOneOld = dependsOn(*one.get(), inst);
    if (isOneOld || dependsOn(*other.get(), inst)) {
      compares_.insert(choice->compare);
      return takeStep(inst, one, other, choice->combination(isOneOld ? one.get() : other.get()));
    }
  }
  auto *phi = dyn_cast<PHINode>(&inst);
  return phi && all_of(phi->incoming_values(), [&](Use &use) { return follow(use); });
}

/// Whether somebody looks at a value on the way.
bool Chain::isUsedElsewhere(const Instruction &value) const {
  const auto isOwn = [&](const Instruction *user) {
    return members_.contains(const_cast<Instruction *>(user)) || compares_.contains(user);
  };
  return any_of(members_,
                [&](const Instruction *member) {
                  return any_of(member->users(), [&](const User *user) {
                    const auto *inst = cast<Instruction>(user);
                    return !isOwn(inst) && (loop_.contains(*inst) || member != &value);
                  });
                }) ||
         any_of(compares_, [&](const Instruction *compare) {
           return !compare->hasOneUse() ||
                  !(isa<BranchInst>(compare->user_back()) || steps_.contains(compare->user_back()));
         });
}

/// Whether the chain begins before it has its first step, and never again.
bool Chain::beginsOnce() const {
  SmallSetVector<const BasicBlock *, 16> behind;
  for (const Instruction *step : steps_) {
    behind.insert(step->getParent());
  }
  for (unsigned at = 0; at < behind.size(); ++at) {
    for (const BasicBlock *next : successors(behind[at])) {
      if (loop_.blocks.contains(next)) {
        behind.insert(next);
      }
    }
  }
  return none_of(left_.begin, [&](const Use *use) {
    return behind.contains(cast<PHINode>(use->getUser())->getIncomingBlock(*use));
  });
}

std::optional<LeftValue> Chain::find(Instruction &value) {
  left_.value = &value;
  left_.type = value.getType();
  if (!isScalar(*left_.type) || !visit(value) || steps_.empty() || left_.begin.empty() ||
      isUsedElsewhere(value) || !beginsOnce()) {
    return std::nullopt;
  }
  return left_;
}

/// An array whose elements a loop combines with values, and does not look at otherwise.
class ArrayUpdates {
public:
  ArrayUpdates(const ConductedLoop &loop, AllocaInst &variable)
      : loop_(loop), variable_(variable) {}

  std::optional<LeftValue> find();

private:
  bool collect();
  bool takeUpdate(LoadInst &load);
  bool takeChoice(LoadInst &load, CmpInst &compare);
  bool take(LoadInst &load, StoreInst &store, const Combination &how);
  bool holdsOnly(const Type &type) const;

  const ConductedLoop &loop_;
  AllocaInst &variable_;
  SmallVector<LoadInst *, 8> loads_;
  SmallSetVector<StoreInst *, 8> stores_;
  SmallPtrSet<const StoreInst *, 8> known_;
  bool isRead_ = false; ///< Beside the loop.
  LeftValue left_;
};

/// Files what the loop does with the array. Outside it is set and read, and nobody keeps it.
bool ArrayUpdates::collect() {
  SmallSetVector<Instruction *, 16> pointers;
  pointers.insert(&variable_);
  for (unsigned at = 0; at < pointers.size(); ++at) {
    const bool isDerivedInside = loop_.contains(*pointers[at]);
    for (User *user : pointers[at]->users()) {
      auto *inst = cast<Instruction>(user);
      const bool isInside = loop_.contains(*inst);
      auto *store = dyn_cast<StoreInst>(inst);
      const bool isKept = store && store->getValueOperand() == pointers[at];
      const auto *filled = dyn_cast<MemIntrinsic>(inst);
      if (isKept || (isDerivedInside && !isInside)) {
        return false;
      }
      isRead_ |= !isInside && isa<LoadInst>(inst);
      if (isa<GetElementPtrInst>(inst)) {
        pointers.insert(inst);
      } else if (isInside && isa<LoadInst>(inst)) {
        loads_.push_back(cast<LoadInst>(inst));
      } else if (isInside && store) {
        stores_.insert(store);
      } else if (isInside ||
                 !(isa<LoadInst>(inst) || store || inst->isLifetimeStartOrEnd() ||
                   (filled && !filled->isVolatile() && filled->getRawDest() == pointers[at]))) {
        return false;
      }
    }
  }
  return !stores_.empty() && isRead_;
}

/// `store` puts where `load` has read what came of it; nothing else is stored in between.
bool ArrayUpdates::take(LoadInst &load, StoreInst &store, const Combination &how) {
  const bool isSame = load.isSimple() && store.isSimple() &&
                      load.getPointerOperand() == store.getPointerOperand() &&
                      load.getType() == store.getValueOperand()->getType();
  if (!isSame || !how.isKnown() || !stores_.contains(&store) || !known_.insert(&store).second ||
      (left_.combination.isKnown() &&
       (!(left_.combination == how) || left_.type != load.getType()))) {
    return false;
  }
  left_.combination = how;
  left_.type = load.getType();
  const auto isBetween = [&](const StoreInst *other) {
    if (other == &store) {
      return false;
    }
    if (load.getParent() == store.getParent()) {
      return other->getParent() == load.getParent() && load.comesBefore(other) &&
             other->comesBefore(&store);
    }
    return (other->getParent() == load.getParent() && load.comesBefore(other)) ||
           (other->getParent() == store.getParent() && other->comesBefore(&store)) ||
           is_contained(successors(load.getParent()), other->getParent());
  };
  return none_of(stores_, isBetween);
}

/// `if (x > own[k]) own[k] = x;`, or the same as an expression that is stored.
bool ArrayUpdates::takeChoice(LoadInst &load, CmpInst &compare) {
  const Value *fresh = compare.getOperand(compare.getOperand(0) == &load ? 1 : 0);
  if (load.getNumUses() == 2) { // The other use is the expression.
    auto *result = cast<Instruction>(
        *find_if(load.users(), [&](const User *user) { return user != &compare; }));
    const auto choice = choiceOf(*result);
    auto *store =
        choice && result->hasOneUse() ? dyn_cast<StoreInst>(result->user_back()) : nullptr;
    if (!store || choice->compare != &compare || !compare.hasOneUse() ||
        store->getValueOperand() != result || store->getParent() != result->getParent()) {
      return false;
    }
    const auto *phi = dyn_cast<PHINode>(result);
    const auto *branch = dyn_cast<BranchInst>(compare.user_back());
    const bool isNear = phi ? branch && branch->getParent() == load.getParent() &&
                                  decidesOnly(*branch, *phi->getParent(), phi, nullptr)
                            : load.getParent() == result->getParent();
    return isNear && take(load, *store, choice->combination(&load));
  }
  const auto *branch = compare.hasOneUse() ? dyn_cast<BranchInst>(compare.user_back()) : nullptr;
  if (!branch || branch->getParent() != load.getParent() || !load.hasOneUse()) {
    return false;
  }
  for (const unsigned way : {0U, 1U}) {
    BasicBlock *taken = branch->getSuccessor(way), *join = branch->getSuccessor(1 - way);
    for (Instruction &inst : *taken) {
      auto *store = dyn_cast<StoreInst>(&inst);
      if (store && taken->getSingleSuccessor() == join && store->getValueOperand() == fresh &&
          store->getPointerOperand() == load.getPointerOperand()) {
        const Choice choice{&compare, (compare.getOperand(0) == fresh) == (way == 0)};
        return decidesOnly(*branch, *join, nullptr, store) &&
               take(load, *store, choice.combination(&load));
      }
    }
  }
  return false;
}

bool ArrayUpdates::takeUpdate(LoadInst &load) {
  for (User *user : load.users()) {
    if (auto *compare = dyn_cast<CmpInst>(user)) {
      return compare->getOperand(0) != compare->getOperand(1) && takeChoice(load, *compare);
    }
  }
  auto *result = load.hasOneUse() ? cast<Instruction>(load.user_back()) : nullptr;
  auto *store = result && result->hasOneUse() ? dyn_cast<StoreInst>(result->user_back()) : nullptr;
  if (!store || store->getValueOperand() != result || store->getParent() != load.getParent()) {
    return false;
  }
  if (const auto *sum = dyn_cast<BinaryOperator>(result)) {
    return (sum->isCommutative() || sum->getOperand(0) == &load) && take(load, *store, ofSum(*sum));
  }
  const auto *extreme = dyn_cast<IntrinsicInst>(result);
  if (extreme && isSumWithProduct(*extreme)) {
    return extreme->getArgOperand(2) == &load && take(load, *store, {AtomicRMWInst::FAdd});
  }
  return extreme && take(load, *store, ofExtreme(*extreme));
}

/// Whether elements of that type fill the array.
bool ArrayUpdates::holdsOnly(const Type &type) const {
  SmallVector<Type *, 8> work{variable_.getAllocatedType()};
  const DataLayout &layout = variable_.getDataLayout();
  while (!work.empty()) {
    Type *part = work.pop_back_val();
    if (auto *array = dyn_cast<ArrayType>(part)) {
      work.push_back(array->getElementType());
    } else if (auto *record = dyn_cast<StructType>(part)) {
      append_range(work, record->elements());
    } else if (part != &type) {
      return false;
    }
  }
  const auto size = variable_.getAllocationSize(layout);
  return size && !size->isScalable() &&
         layout.getTypeAllocSize(left_.type) == layout.getTypeStoreSize(left_.type) &&
         size->getFixedValue() % layout.getTypeAllocSize(left_.type) == 0;
}

std::optional<LeftValue> ArrayUpdates::find() {
  if (!variable_.isStaticAlloca() || !collect() ||
      !all_of(loads_, [&](LoadInst *load) { return takeUpdate(*load); }) ||
      known_.size() != stores_.size() || !isScalar(*left_.type) || !holdsOnly(*left_.type)) {
    return std::nullopt;
  }
  const DataLayout &layout = variable_.getDataLayout();
  left_.variable = &variable_;
  left_.count = variable_.getAllocationSize(layout)->getFixedValue() /
                layout.getTypeAllocSize(left_.type).getFixedValue();
  return left_.count <= kMostElements ? std::optional(left_) : std::nullopt;
}

} // namespace

std::optional<std::vector<LeftValue>> findLeftValues(Function &function,
                                                     const ConductedLoop &loop) {
  std::vector<LeftValue> found;
  for (Instruction &inst : instructions(function)) {
    if (loop.contains(inst) && any_of(inst.users(), [&](const User *user) {
          return !loop.contains(*cast<Instruction>(user));
        })) {
      const auto left = Chain(loop).find(inst);
      if (!left) {
        return std::nullopt;
      }
      found.push_back(*left);
    }
  }
  for (Instruction &inst : instructions(function)) {
    auto *variable = dyn_cast<AllocaInst>(&inst);
    if (variable) {
      if (const auto left = ArrayUpdates(loop, *variable).find()) {
        found.push_back(*left);
      }
    }
  }
  return found.empty() ? std::nullopt : std::optional(std::move(found));
}

} // namespace tutti::compiler
