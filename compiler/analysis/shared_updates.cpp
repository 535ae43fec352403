// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/shared_updates.h"

#include "abi/abi.h"
#include "abi/updates.h"
#include "compiler/ir/construct_calls.h"
#include "compiler/ir/forks.h"
#include "compiler/ir/library_functions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

using Operation = AtomicRMWInst::BinOp;

/// An operation of which the order does not matter.
std::optional<Operation> operationOf(const BinaryOperator &inst) {
  switch (inst.getOpcode()) {
  case Instruction::Add:
    return AtomicRMWInst::Add;
  case Instruction::Sub:
    return AtomicRMWInst::Sub;
  case Instruction::FAdd:
    return AtomicRMWInst::FAdd;
  case Instruction::FSub:
    return AtomicRMWInst::FSub;
  case Instruction::And:
    return AtomicRMWInst::And;
  case Instruction::Or:
    return AtomicRMWInst::Or;
  case Instruction::Xor:
    return AtomicRMWInst::Xor;
  default:
    return std::nullopt;
  }
}

bool isKnown(Operation operation) {
  switch (operation) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
  case AtomicRMWInst::FAdd:
  case AtomicRMWInst::FSub:
  case AtomicRMWInst::And:
  case AtomicRMWInst::Or:
  case AtomicRMWInst::Xor:
  case AtomicRMWInst::Max:
  case AtomicRMWInst::Min:
  case AtomicRMWInst::UMax:
  case AtomicRMWInst::UMin:
    return true;
  default:
    return false;
  }
}

bool isScalar(const Type &type) {
  return type.isFloatTy() || type.isDoubleTy() || type.isPointerTy() ||
         (type.isIntegerTy() && type.getIntegerBitWidth() >= 8 && type.getIntegerBitWidth() <= 64);
}

/// Whether `inst`, in a critical section, is there for the sake of its value.
bool isComputation(const Instruction &inst) {
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
  return (intrinsic && intrinsic->isAssumeLikeIntrinsic()) ||
         (!inst.mayHaveSideEffects() && !inst.isTerminator()) ||
         kindOf(inst) == CallKind::ThreadNumber;
}

/// Whether `predicate` says less or greater, never of equal values.
bool isStrictOrder(CmpInst::Predicate predicate) {
  return predicate == CmpInst::FCMP_OGT || predicate == CmpInst::FCMP_OLT ||
         (CmpInst::isIntPredicate(predicate) && CmpInst::isStrictPredicate(predicate));
}

/// The comparison that decides where `block` leads to.
CmpInst *conditionOf(const BasicBlock &block) {
  const auto *branch = dyn_cast<BranchInst>(block.getTerminator());
  return branch && branch->isConditional() ? dyn_cast<CmpInst>(branch->getCondition()) : nullptr;
}

/// What `function` may call, from whatever depth; null for what is not known.
SmallSetVector<Function *, 16> calleesOf(Function &function, const TargetLibraryInfo &library) {
  SmallSetVector<Function *, 16> found;
  found.insert(&function);
  for (unsigned at = 0; at < found.size() && found[at]; ++at) {
    for (Instruction &inst : instructions(*found[at])) {
      const auto *call = dyn_cast<CallBase>(&inst);
      Function *callee = call ? call->getCalledFunction() : nullptr;
      LibFunc known;
      const bool isOfLibrary = callee && (library.getLibFunc(*callee, known) ||
                                          (callee->isDeclaration() && argumentUse(*call)));
      const bool isHarmless = !call || isa<IntrinsicInst>(call) ||
                              kindOf(callee) != CallKind::None || call->doesNotAccessMemory() ||
                              isOfLibrary;
      if (!isHarmless) {
        found.insert(callee && !callee->isDeclaration() ? callee : nullptr);
      }
    }
  }
  return found;
}

/// Whether threads may take turns in another construct than a loop's, or in a function that is
/// called: with locks, atomically, in critical sections.
bool takesTurnsInCalls(Function &function, const TargetLibraryInfo &library) {
  return any_of(calleesOf(function, library), [&](Function *callee) {
    return !callee || any_of(instructions(*callee), [&](const Instruction &inst) {
      switch (const CallKind kind = kindOf(inst)) {
      case CallKind::None:
      case CallKind::Barrier:
      case CallKind::ThreadNumber:
        return callee != &function && (inst.isAtomic() || inst.isVolatile());
      case CallKind::Critical:
        return callee != &function;
      default:
        return !dealsIterations(kind);
      }
    });
  });
}

/// Whether two values of one critical section are the same, though computed twice. It stores to its
/// variables alone, from which nothing else is loaded.
bool isSame(const Value &one, const Value &other) {
  const auto *inst = dyn_cast<Instruction>(&one);
  const auto *twin = dyn_cast<Instruction>(&other);
  if (&one == &other || !inst || !twin || isa<PHINode>(inst) || !isComputation(*inst) ||
      !inst->isSameOperationAs(twin) ||
      (isa<LoadInst>(inst) && !cast<LoadInst>(inst)->isSimple())) {
    return &one == &other;
  }
  return all_of(zip(inst->operands(), twin->operands()), [](auto operands) {
    return isSame(*std::get<0>(operands).get(), *std::get<1>(operands).get());
  });
}

class Finder {
public:
  explicit Finder(Function &function) : function_(function) {}

  std::optional<std::vector<SharedUpdate>> find();

private:
  std::optional<UpdatedVariable> variableAt(Use &pointer, Type &type, Operation operation) const;
  bool addAtomic(AtomicRMWInst &inst);
  bool addSection(CallInst &begin);
  bool addSums(CallInst &begin, CallInst &end);
  bool addChoice(CallInst &begin, BasicBlock &taken, CallInst &end);
  bool addTiedChoice(CallInst &begin);
  std::optional<UpdatedVariable> comparedAt(const CmpInst &compare, unsigned old) const;
  bool addChosen(SharedUpdate &update, BasicBlock &taken, const Value &key) const;
  bool isLookedAt() const;

  Function &function_;
  std::vector<SharedUpdate> found_;
};

std::optional<UpdatedVariable> Finder::variableAt(Use &pointer, Type &type,
                                                  Operation operation) const {
  const DataLayout &layout = function_.getDataLayout();
  APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  Value *base = pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
  const auto *argument = dyn_cast<Argument>(base);
  const auto *global = dyn_cast<GlobalVariable>(base);
  const bool isShared = (argument && argument->getArgNo() >= kThreadArguments) ||
                        (global && !global->isThreadLocal());
  return isShared && isScalar(type)
             ? std::optional(
                   UpdatedVariable{base, offset.getSExtValue(), &type, operation, {&pointer}})
             : std::nullopt;
}

bool Finder::addAtomic(AtomicRMWInst &inst) {
  const auto variable = variableAt(inst.getOperandUse(AtomicRMWInst::getPointerOperandIndex()),
                                   *inst.getType(), inst.getOperation());
  if (!variable || !inst.use_empty() || inst.isVolatile() || !isKnown(inst.getOperation())) {
    return false;
  }
  SharedUpdate &update = found_.emplace_back();
  update.variables.push_back(*variable);
  update.atomic = &inst;
  update.isOfConstant = isa<Constant>(inst.getValOperand());
  return true;
}

/// Sums: each store is of what was loaded there, combined with something else.
bool Finder::addSums(CallInst &begin, CallInst &end) {
  SharedUpdate update;
  for (Instruction *inst = begin.getNextNode(); inst != &end; inst = inst->getNextNode()) {
    auto *store = dyn_cast<StoreInst>(inst);
    if (!store) {
      if (!isComputation(*inst)) {
        return false;
      }
      continue;
    }
    auto *sum = dyn_cast<BinaryOperator>(store->getValueOperand());
    const auto operation = sum ? operationOf(*sum) : std::nullopt;
    if (!operation || !store->isSimple() || !sum->hasOneUse()) {
      return false;
    }
    const auto isOld = [&](const Value *operand) {
      const auto *load = dyn_cast<LoadInst>(operand);
      return load && load->isSimple() && load->hasOneUse() &&
             load->getParent() == end.getParent() && begin.comesBefore(load) &&
             load->getPointerOperand() == store->getPointerOperand();
    };
    const unsigned old = isOld(sum->getOperand(0)) ? 0 : 1;
    auto variable = variableAt(store->getOperandUse(StoreInst::getPointerOperandIndex()),
                               *sum->getType(), *operation);
    if (!variable || !isOld(sum->getOperand(old)) || (old == 1 && !sum->isCommutative()) ||
        is_contained(update.variables, *variable)) {
      return false;
    }
    auto *load = cast<LoadInst>(sum->getOperand(old));
    variable->pointers.push_back(&load->getOperandUse(LoadInst::getPointerOperandIndex()));
    update.isOfConstant |= isa<Constant>(sum->getOperand(1 - old));
    update.variables.push_back(std::move(*variable));
  }
  update.begin = &begin;
  update.end = &end;
  found_.push_back(std::move(update));
  return !found_.back().variables.empty();
}

/// What is stored where the choice is made: `key` to the first variable, something to others.
bool Finder::addChosen(SharedUpdate &update, BasicBlock &taken, const Value &key) const {
  bool isStored = false;
  for (Instruction &inst : taken) {
    auto *store = dyn_cast<StoreInst>(&inst);
    if (!store) {
      if (!inst.isTerminator() && !isComputation(inst)) {
        return false;
      }
      continue;
    }
    Use &pointer = store->getOperandUse(StoreInst::getPointerOperandIndex());
    auto variable = variableAt(pointer, *store->getValueOperand()->getType(), AtomicRMWInst::Xchg);
    if (!variable || !store->isSimple()) {
      return false;
    }
    if (*variable == update.variables.front()) {
      if (isStored || !isSame(*store->getValueOperand(), key)) {
        return false;
      }
      isStored = true;
      update.variables.front().pointers.push_back(&pointer);
    } else if (is_contained(update.variables, *variable)) {
      return false;
    } else {
      update.variables.push_back(std::move(*variable));
    }
  }
  return isStored;
}

/// An extreme: if a value is better than the variable, it is stored, and others are.
bool Finder::addChoice(CallInst &begin, BasicBlock &taken, CallInst &end) {
  auto *branch = cast<BranchInst>(begin.getParent()->getTerminator());
  auto *compare = dyn_cast<CmpInst>(branch->getCondition());
  for (const unsigned old : {0U, 1U}) {
    auto *load = compare ? dyn_cast<LoadInst>(compare->getOperand(old)) : nullptr;
    if (!load || !load->isSimple() || !load->hasOneUse() ||
        load->getParent() != begin.getParent() || !begin.comesBefore(load)) {
      continue;
    }
    const CmpInst::Predicate choice =
        old == 1 ? compare->getPredicate() : compare->getSwappedPredicate();
    const auto first = variableAt(load->getOperandUse(LoadInst::getPointerOperandIndex()),
                                  *load->getType(), AtomicRMWInst::Xchg);
    if (!isStrictOrder(choice) || !first || load->getType()->isPointerTy()) {
      continue;
    }
    SharedUpdate update;
    update.variables.push_back(*first);
    update.choice = choice;
    update.begin = &begin;
    update.end = &end;
    if (addChosen(update, taken, *compare->getOperand(1 - old))) {
      found_.push_back(std::move(update));
      return true;
    }
  }
  return false;
}

/// The variable from which operand `old` of `compare` has been loaded, in the same block.
std::optional<UpdatedVariable> Finder::comparedAt(const CmpInst &compare, unsigned old) const {
  auto *load = dyn_cast<LoadInst>(compare.getOperand(old));
  if (!load || !load->isSimple() || load->getType()->isPointerTy() ||
      load->getParent() != compare.getParent()) {
    return std::nullopt;
  }
  return variableAt(load->getOperandUse(LoadInst::getPointerOperandIndex()), *load->getType(),
                    AtomicRMWInst::Xchg);
}

/// An extreme with a rule for ties: `value < best || (value == best && number < bestNumber)`.
bool Finder::addTiedChoice(CallInst &begin) {
  BasicBlock &block = *begin.getParent();
  CmpInst *compare = conditionOf(block);
  BasicBlock *taken = compare ? block.getTerminator()->getSuccessor(0) : nullptr;
  BasicBlock *equal = compare ? block.getTerminator()->getSuccessor(1) : nullptr;
  CmpInst *equality = equal ? conditionOf(*equal) : nullptr;
  BasicBlock *tied = equality ? equal->getTerminator()->getSuccessor(0) : nullptr;
  BasicBlock *join = equality ? equal->getTerminator()->getSuccessor(1) : nullptr;
  CmpInst *decision = tied ? conditionOf(*tied) : nullptr;
  auto *end = join ? dyn_cast<CallInst>(&*join->getFirstNonPHIOrDbgOrLifetime()) : nullptr;
  const bool hasForm =
      decision && end && kindOf(*end) == CallKind::Critical && join->phis().empty() &&
      equal->getSinglePredecessor() == &block && tied->getSinglePredecessor() == equal &&
      tied->getTerminator()->getSuccessor(0) == taken &&
      tied->getTerminator()->getSuccessor(1) == join && taken->getSingleSuccessor() == join &&
      pred_size(taken) == 2 && pred_size(join) == 3 && taken->phis().empty() &&
      (equality->getPredicate() == CmpInst::FCMP_OEQ ||
       equality->getPredicate() == CmpInst::ICMP_EQ);
  if (!hasForm) {
    return false;
  }
  for (auto [from, until] :
       {std::pair<Instruction *, Instruction *>{begin.getNextNode(), block.getTerminator()},
        {&equal->front(), equal->getTerminator()},
        {&tied->front(), tied->getTerminator()}}) {
    for (Instruction *inst = from; inst != until; inst = inst->getNextNode()) {
      if (!isComputation(*inst)) {
        return false;
      }
    }
  }
  for (const unsigned old : {0U, 1U}) {
    const auto first = comparedAt(*compare, old);
    Value *key = compare->getOperand(1 - old);
    Value *best = compare->getOperand(old);
    const bool comparesKey = (equality->getOperand(0) == key && equality->getOperand(1) == best) ||
                             (equality->getOperand(1) == key && equality->getOperand(0) == best);
    const auto *load = first ? cast<LoadInst>(best) : nullptr;
    if (!load || !comparesKey || !begin.comesBefore(load) || !load->hasNUses(2)) {
      continue;
    }
    for (const unsigned oldNumber : {0U, 1U}) {
      const auto second = comparedAt(*decision, oldNumber);
      const Value *number = decision->getOperand(1 - oldNumber);
      SharedUpdate update;
      update.choice = old == 1 ? compare->getPredicate() : compare->getSwappedPredicate();
      update.tie = oldNumber == 1 ? decision->getPredicate() : decision->getSwappedPredicate();
      if (!second || *second == *first || !isStrictOrder(update.choice) ||
          !isStrictOrder(update.tie) || !decision->getOperand(oldNumber)->hasOneUse()) {
        continue;
      }
      update.variables.push_back(*first);
      update.begin = &begin;
      update.end = end;
      if (!addChosen(update, *taken, *key)) {
        continue;
      }
      auto *const stored = llvm::find(update.variables, *second);
      const bool isNumber =
          stored != update.variables.end() && stored->type == second->type &&
          isSame(*cast<StoreInst>(stored->pointers.front()->getUser())->getValueOperand(), *number);
      if (!isNumber) {
        continue;
      }
      stored->pointers.push_back(second->pointers.front());
      std::swap(*stored, update.variables[1]);
      found_.push_back(std::move(update));
      return true;
    }
  }
  return false;
}

bool Finder::addSection(CallInst &begin) {
  BasicBlock &block = *begin.getParent();
  for (Instruction *inst = begin.getNextNode(); inst; inst = inst->getNextNode()) {
    if (kindOf(*inst) == CallKind::Critical) {
      return addSums(begin, *cast<CallInst>(inst));
    }
  }
  auto *branch = dyn_cast<BranchInst>(block.getTerminator());
  BasicBlock *taken = branch && branch->isConditional() ? branch->getSuccessor(0) : nullptr;
  BasicBlock *join = taken ? branch->getSuccessor(1) : nullptr;
  auto *end = join ? dyn_cast<CallInst>(&*join->getFirstNonPHIOrDbgOrLifetime()) : nullptr;
  const bool isTriangle = taken && taken != join && taken->getSinglePredecessor() == &block &&
                          taken->getSingleSuccessor() == join && pred_size(join) == 2 &&
                          join->phis().empty();
  if (!isTriangle || !end || kindOf(*end) != CallKind::Critical) {
    return addTiedChoice(begin);
  }
  for (Instruction *inst = begin.getNextNode(); inst != branch; inst = inst->getNextNode()) {
    if (!isComputation(*inst)) {
      return false;
    }
  }
  return addChoice(begin, *taken, *end);
}

/// Whether something else touches the variables. What other pointers lead to cannot be the same:
/// threads would have to take turns there, too.
bool Finder::isLookedAt() const {
  SmallPtrSet<const Value *, 8> bases;
  SmallPtrSet<const User *, 16> own;
  for (const SharedUpdate &update : found_) {
    for (const UpdatedVariable &variable : update.variables) {
      bases.insert(variable.base);
      for (const Use *pointer : variable.pointers) {
        own.insert(pointer->getUser());
      }
    }
  }
  const auto leadsThere = [&](const Use &pointer) {
    return pointer->getType()->isPointerTy() &&
           bases.contains(getUnderlyingObject(pointer.get(), 0));
  };
  return any_of(instructions(function_), [&](const Instruction &inst) {
    const bool isDerived =
        isa<GetElementPtrInst, PHINode, SelectInst, CmpInst>(inst) || inst.isLifetimeStartOrEnd();
    return !isDerived && !own.contains(&inst) && any_of(inst.operands(), leadsThere);
  });
}

std::optional<std::vector<SharedUpdate>> Finder::find() {
  for (Instruction &inst : instructions(function_)) {
    if (auto *update = dyn_cast<AtomicRMWInst>(&inst)) {
      if (!addAtomic(*update)) {
        return std::nullopt;
      }
    } else if (kindOf(inst) == CallKind::Critical) {
      const bool isEnd =
          any_of(found_, [&](const SharedUpdate &update) { return update.end == &inst; });
      if (!isEnd && !addSection(cast<CallInst>(inst))) {
        return std::nullopt;
      }
    } else if (inst.isAtomic()) {
      return std::nullopt;
    }
  }
  return isLookedAt() ? std::nullopt : std::optional(std::move(found_));
}

std::optional<unsigned> recordedOperation(AtomicRMWInst::BinOp operation) {
  switch (operation) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
  case AtomicRMWInst::FAdd:
  case AtomicRMWInst::FSub:
    return TUTTI_UPDATE_ADD;
  case AtomicRMWInst::And:
    return TUTTI_UPDATE_AND;
  case AtomicRMWInst::Or:
    return TUTTI_UPDATE_OR;
  case AtomicRMWInst::Xor:
    return TUTTI_UPDATE_XOR;
  case AtomicRMWInst::Min:
  case AtomicRMWInst::UMin:
    return TUTTI_UPDATE_MIN;
  case AtomicRMWInst::Max:
  case AtomicRMWInst::UMax:
    return TUTTI_UPDATE_MAX;
  default:
    return std::nullopt;
  }
}

std::optional<unsigned> recordedType(const Type &type, AtomicRMWInst::BinOp operation) {
  if (type.isFloatTy() || type.isDoubleTy()) {
    return type.isFloatTy() ? TUTTI_UPDATE_F32 : TUTTI_UPDATE_F64;
  }
  const bool isUnsigned = operation == AtomicRMWInst::UMin || operation == AtomicRMWInst::UMax;
  switch (type.isIntegerTy() ? type.getIntegerBitWidth() : 0) {
  case 8:
    return isUnsigned ? TUTTI_UPDATE_U8 : TUTTI_UPDATE_I8;
  case 16:
    return isUnsigned ? TUTTI_UPDATE_U16 : TUTTI_UPDATE_I16;
  case 32:
    return isUnsigned ? TUTTI_UPDATE_U32 : TUTTI_UPDATE_I32;
  case 64:
    return isUnsigned ? TUTTI_UPDATE_U64 : TUTTI_UPDATE_I64;
  default:
    return std::nullopt;
  }
}

} // namespace

std::optional<unsigned> recordedUpdate(const AtomicRMWInst &update) {
  const std::optional<unsigned> operation = recordedOperation(update.getOperation());
  const std::optional<unsigned> type = recordedType(*update.getType(), update.getOperation());
  const bool isAligned =
      update.getAlign().value() >= update.getDataLayout().getTypeStoreSize(update.getType());
  // Its order to other accesses does not matter: nothing in a loop waits for it, as atomic loads
  // keep loops home.
  if (!operation || !type || !isAligned || update.isVolatile() || !update.use_empty()) {
    return std::nullopt;
  }
  return TUTTI_WRITE | TUTTI_AT_MOST | TUTTI_SCATTERED | TUTTI_UPDATED |
         (*operation | *type) << TUTTI_UPDATE_SHIFT;
}

std::optional<std::vector<SharedUpdate>> findSharedUpdates(Function &function,
                                                           const TargetLibraryInfo &library) {
  return takesTurnsInCalls(function, library) ? std::nullopt : Finder(function).find();
}

} // namespace tutti::compiler
