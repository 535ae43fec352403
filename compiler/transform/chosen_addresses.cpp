// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/chosen_addresses.h"

#include "compiler/analysis/chunk_model.h"
#include "compiler/transform/chunk_function.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// So many accesses are made of those of a function; the others stay chosen.
constexpr unsigned kMostMade = 256;
/// Of the way from a choice to an address. In code that is never reached it may have no end.
constexpr unsigned kMostSteps = 64;

bool isPhi(const Value *value) { return isa<PHINode>(value); }

/// A `select` or a phi, and the way from there to an address.
struct ChosenAddress {
  Instruction *choice;
  /// What is added, and phis that nothing else comes to; the last one is the address.
  SmallVector<Instruction *, 2> steps;

  SmallVector<Value *, 4> indices() const {
    SmallVector<Value *, 4> all;
    for (Instruction *step : steps) {
      if (auto *offset = dyn_cast<GetElementPtrInst>(step)) {
        append_range(all, offset->indices());
      }
    }
    return all;
  }
};

/// `value` as it is on `edge` to the block where the choice is made; anywhere, if that is null.
Value *onEdge(Value *value, const ChosenAddress &chosen, const BasicBlock *edge) {
  return edge ? value->DoPHITranslation(chosen.choice->getParent(), edge) : value;
}

/// Whether no program gets there.
bool isNowhere(const Value *pointer) { return isa<ConstantPointerNull, UndefValue>(pointer); }

/// What `choice` is one of, as far as it leads anywhere.
SmallSetVector<Value *, 4> alternativesOf(Instruction &choice) {
  SmallSetVector<Value *, 4> alternatives;
  if (auto *select = dyn_cast<SelectInst>(&choice)) {
    alternatives.insert(select->getTrueValue());
    alternatives.insert(select->getFalseValue());
  } else {
    auto &phi = cast<PHINode>(choice);
    alternatives.insert(phi.incoming_values().begin(), phi.incoming_values().end());
  }
  alternatives.remove_if(isNowhere);
  return alternatives;
}

/// Whether `value` is computed from parameters and variables alone, and from what these lead to.
bool isFixed(Value *value) {
  SmallPtrSet<const Value *, 8> seen;
  SmallVector<Value *, 8> work{value};
  while (!work.empty()) {
    Value *part = work.pop_back_val();
    const auto *inst = dyn_cast<Instruction>(part);
    if (!inst || !seen.insert(part).second) {
      continue;
    }
    const auto *load = dyn_cast<LoadInst>(inst);
    if (!(load && load->isSimple()) && !isa<GetElementPtrInst, CastInst, BinaryOperator>(inst)) {
      return false;
    }
    append_range(work, cast<User>(part)->operands());
  }
  return true;
}

bool isPlain(const Instruction &access) { return !access.isVolatile() && !access.isAtomic(); }

class Separator {
public:
  explicit Separator(Function &function);

  bool run();

private:
  std::optional<ChosenAddress> chosenAt(const Use &address) const;
  bool mustSeparate(const Use &address, const ChosenAddress &chosen) const;
  bool separate(Instruction &access);
  void separate(Use &address, const ChosenAddress &chosen);
  bool canMoveUp(const Use &address, const ChosenAddress &chosen) const;
  void moveUp(Use &address, const ChosenAddress &chosen);
  void split(Use &address, const ChosenAddress &chosen);
  std::pair<Value *, Value *> divide(PHINode &choice, Value *first) const;
  PHINode *carryOn(PHINode &phi, const Value *old, Value *now) const;
  Value *addressOf(const ChosenAddress &chosen, Value *base, Instruction *before,
                   const BasicBlock *edge) const;
  Value *accessThere(const Use &address, const ChosenAddress &chosen, Value *base,
                     Instruction *before, const BasicBlock *edge = nullptr);
  void replace(Instruction &access, Value *value);

  Function &function_;
  SmallPtrSet<const BasicBlock *, 8> headers_; ///< Where loops begin again.
  SmallVector<WeakVH, 32> work_;
  unsigned made_ = 0;
};

Separator::Separator(Function &function) : function_(function) {
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 8> backedges;
  FindFunctionBackedges(function, backedges);
  for (auto [latch, header] : backedges) {
    headers_.insert(header);
  }
}

bool Separator::run() {
  for (Instruction &inst : instructions(function_)) {
    if (!dereferences(inst).empty()) {
      work_.push_back(&inst);
    }
  }
  bool changed = false;
  while (!work_.empty() && made_ < kMostMade) {
    Value *access = work_.pop_back_val();
    changed |= access && separate(*cast<Instruction>(access));
  }
  return changed;
}

std::optional<ChosenAddress> Separator::chosenAt(const Use &address) const {
  ChosenAddress chosen{};
  Value *pointer = address;
  while (chosen.steps.size() < kMostSteps) {
    auto *inst = dyn_cast<Instruction>(pointer);
    const auto *select = dyn_cast_or_null<SelectInst>(inst);
    const bool isChoice = (select && select->getCondition()->getType()->isIntegerTy(1)) ||
                          (inst && isPhi(inst) && !headers_.contains(inst->getParent()));
    const auto alternatives = isChoice ? alternativesOf(*inst) : SmallSetVector<Value *, 4>();
    if (alternatives.size() > 1) {
      chosen.choice = inst;
      return chosen;
    }
    if (auto *offset = dyn_cast_or_null<GetElementPtrInst>(inst)) {
      pointer = offset->getPointerOperand();
    } else if (alternatives.size() == 1 && isPhi(inst)) {
      pointer = alternatives.front();
    } else {
      break;
    }
    chosen.steps.insert(chosen.steps.begin(), inst);
  }
  return std::nullopt;
}

/// Whether the addresses are of different kinds, or a value of the region may be read at one.
/// Private variables that nobody chooses between can live in registers.
bool Separator::mustSeparate(const Use &address, const ChosenAddress &chosen) const {
  const auto alternatives = alternativesOf(*chosen.choice);
  const MemoryKind kind = memoryKind(alternatives.front());
  if (kind == MemoryKind::Mixed ||
      any_of(alternatives, [&](const Value *other) { return memoryKind(other) != kind; })) {
    return true;
  }
  const auto *access = cast<Instruction>(address.getUser());
  const auto *transfer = dyn_cast<MemTransferInst>(access);
  const bool reads =
      isa<LoadInst>(access) || (transfer && &address == &transfer->getRawSourceUse());
  return reads && (kind == MemoryKind::Private ||
                   (any_of(alternatives, isFixed) && all_of(chosen.indices(), isFixed)));
}

bool Separator::separate(Instruction &access) {
  if (!isPlain(access)) {
    return false;
  }
  for (Use *address : dereferences(access)) {
    const std::optional<ChosenAddress> chosen = chosenAt(*address);
    if (chosen && mustSeparate(*address, *chosen)) {
      separate(*address, *chosen);
      return true;
    }
  }
  return false;
}

void Separator::separate(Use &address, const ChosenAddress &chosen) {
  const WeakVH last = address.get();
  if (canMoveUp(address, chosen)) {
    moveUp(address, chosen);
  } else {
    split(address, chosen);
  }
  if (last) {
    RecursivelyDeleteTriviallyDeadInstructions(last);
  }
}

/// `phi` with `now` where it is `old`, and nothing that counts elsewhere.
PHINode *Separator::carryOn(PHINode &phi, const Value *old, Value *now) const {
  auto *there = PHINode::Create(now->getType(), phi.getNumIncomingValues(), "", phi.getIterator());
  for (auto [from, value] : zip_equal(phi.blocks(), phi.incoming_values())) {
    there->addIncoming(value == old ? now : Constant::getNullValue(now->getType()), from);
  }
  return there;
}

/// The address that comes of `base` in the place of what is chosen, for use in front of `before`,
/// where values are as on `edge` if that is given.
Value *Separator::addressOf(const ChosenAddress &chosen, Value *base, Instruction *before,
                            const BasicBlock *edge) const {
  const Value *old = chosen.choice;
  auto *const end = chosen.steps.end();
  for (auto *at = chosen.steps.begin(); at != end; old = *at++) {
    if (auto *phi = dyn_cast<PHINode>(*at)) {
      base = carryOn(*phi, old, base);
      continue;
    }
    auto *there = cast<GetElementPtrInst>((*at)->clone());
    for (Use &index : there->indices()) {
      index.set(onEdge(index, chosen, edge));
    }
    there->setOperand(GetElementPtrInst::getPointerOperandIndex(), base);
    // What a phi carries on has to be computed in front of it.
    there->insertBefore(any_of(make_range(at, end), isPhi) ? *at : before);
    base = there;
  }
  return base;
}

/// The access at `address` with `base` in the place of what is chosen, in front of `before`, where
/// values are as on `edge` if that is given. Returns its value.
Value *Separator::accessThere(const Use &address, const ChosenAddress &chosen, Value *base,
                              Instruction *before, const BasicBlock *edge) {
  auto *access = cast<Instruction>(address.getUser());
  const bool hasValue = !access->getType()->isVoidTy();
  if (isNowhere(base)) {
    return hasValue ? PoisonValue::get(access->getType()) : nullptr;
  }
  base = addressOf(chosen, base, before, edge);
  if (auto *copy = dyn_cast<MemCpyInst>(access);
      copy && (copy->getRawDest() == base || copy->getRawSource() == base)) {
    return nullptr; // It would change nothing.
  }
  Instruction *made = access->clone();
  for (Use &operand : made->operands()) {
    operand.set(onEdge(operand, chosen, edge));
  }
  made->setOperand(address.getOperandNo(), base);
  made->insertBefore(before);
  work_.push_back(made);
  ++made_;
  return hasValue ? made : nullptr;
}

void Separator::replace(Instruction &access, Value *value) {
  if (value) {
    value->takeName(&access);
    access.replaceAllUsesWith(value);
  }
  access.eraseFromParent();
}

/// Whether the access may as well be done at the end of each block that leads to its own, where the
/// address is chosen.
bool Separator::canMoveUp(const Use &address, const ChosenAddress &chosen) const {
  const auto *access = cast<Instruction>(address.getUser());
  const BasicBlock *block = chosen.choice->getParent();
  if (!isPhi(chosen.choice) || access->getParent() != block || any_of(chosen.steps, isPhi)) {
    return false;
  }
  for (const Instruction &inst : *block) {
    if (&inst == access) {
      break;
    }
    if (inst.mayHaveSideEffects() || (access->mayWriteToMemory() && inst.mayReadFromMemory())) {
      return false;
    }
  }
  const auto isKnownAbove = [&](const Value *value) {
    const auto *inst = dyn_cast<Instruction>(value);
    return !inst || isa<PHINode>(inst) || inst->getParent() != block;
  };
  SmallPtrSet<const BasicBlock *, 4> seen;
  return all_of(
             access->operands(),
             [&](const Use &operand) { return &operand == &address || isKnownAbove(operand); }) &&
         all_of(chosen.indices(), isKnownAbove) &&
         all_of(predecessors(block), [&](const BasicBlock *from) {
           return seen.insert(from).second && isa<BranchInst>(from->getTerminator());
         });
}

void Separator::moveUp(Use &address, const ChosenAddress &chosen) {
  auto *access = cast<Instruction>(address.getUser());
  auto &choice = cast<PHINode>(*chosen.choice);
  BasicBlock *block = choice.getParent();
  SmallVector<BasicBlock *, 4> edges(predecessors(block));
  for (BasicBlock *&from : edges) {
    from = from->getSingleSuccessor() ? from : SplitEdge(from, block);
  }
  // Splitting an edge takes it that all phis of the block know the edge, so this one comes after.
  PHINode *value = access->use_empty()
                       ? nullptr
                       : PHINode::Create(access->getType(), choice.getNumIncomingValues(), "",
                                         choice.getIterator());
  for (BasicBlock *edge : edges) {
    Value *made = accessThere(address, chosen, choice.getIncomingValueForBlock(edge),
                              edge->getTerminator(), edge);
    if (value) {
      value->addIncoming(made, edge);
    }
  }
  replace(*access, value);
}

/// `choice` as it is where it is `first`, and as it is where it is something else.
std::pair<Value *, Value *> Separator::divide(PHINode &choice, Value *first) const {
  const DominatorTree dominators(function_);
  const SimplifyQuery query(choice.getDataLayout(), nullptr, &dominators);
  const auto part = [&](bool isFirst) -> Value * {
    auto *phi = cast<PHINode>(choice.clone());
    for (Use &value : phi->incoming_values()) {
      if ((value == first) != isFirst) {
        value.set(PoisonValue::get(choice.getType()));
      }
    }
    phi->insertBefore(&choice);
    Value *known = simplifyInstruction(phi, query);
    if (known) {
      phi->eraseFromParent();
    }
    return known ? known : phi;
  };
  return {part(true), part(false)};
}

/// Leaves the access where it is, under a condition on which address has been chosen.
void Separator::split(Use &address, const ChosenAddress &chosen) {
  auto *access = cast<Instruction>(address.getUser());
  Value *condition = nullptr;
  std::pair<Value *, Value *> bases;
  if (auto *select = dyn_cast<SelectInst>(chosen.choice)) {
    condition = select->getCondition();
    bases = {select->getTrueValue(), select->getFalseValue()};
  } else {
    auto &choice = cast<PHINode>(*chosen.choice);
    Value *first = alternativesOf(choice).front();
    auto *isFirst = PHINode::Create(Type::getInt1Ty(choice.getContext()),
                                    choice.getNumIncomingValues(), "", choice.getIterator());
    for (auto [from, value] : zip_equal(choice.blocks(), choice.incoming_values())) {
      isFirst->addIncoming(ConstantInt::getBool(choice.getContext(), value == first), from);
    }
    condition = isFirst;
    bases = divide(choice, first);
  }
  const Value *old = chosen.choice;
  for (Instruction *step : chosen.steps) {
    if (auto *phi = dyn_cast<PHINode>(step)) {
      condition = carryOn(*phi, old, condition);
    }
    old = step;
  }
  Instruction *then = nullptr;
  Instruction *otherwise = nullptr;
  SplitBlockAndInsertIfThenElse(condition, access, &then, &otherwise);
  Value *one = accessThere(address, chosen, bases.first, then);
  Value *other = accessThere(address, chosen, bases.second, otherwise);
  PHINode *value = nullptr;
  if (!access->use_empty()) {
    value = PHINode::Create(access->getType(), 2, "", access->getParent()->begin());
    value->addIncoming(one, then->getParent());
    value->addIncoming(other, otherwise->getParent());
  }
  replace(*access, value);
}

} // namespace

bool separateChosenAddresses(Function &function) { return Separator(function).run(); }

} // namespace tutti::compiler
