// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/chosen_reads.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// What `pointer`, a `select` or a phi, is one of.
SmallVector<Value *, 4> choicesOf(Instruction &pointer) {
  if (auto *select = dyn_cast<SelectInst>(&pointer)) {
    return {select->getTrueValue(), select->getFalseValue()};
  }
  return SmallVector<Value *, 4>(cast<PHINode>(pointer).incoming_values());
}

/// Whether one of `pointers` leads to a variable of the thread.
bool mayBePrivate(ArrayRef<Value *> pointers) {
  return any_of(pointers,
                [](const Value *pointer) { return isa<AllocaInst>(getUnderlyingObject(pointer)); });
}

/// The only use of `pointer`, if it reads from there: a load, or a copy to an address that is known
/// where `pointer` is chosen.
Instruction *onlyRead(Instruction &pointer) {
  if (!pointer.hasOneUse()) {
    return nullptr;
  }
  const Use &use = *pointer.use_begin();
  auto *user = cast<Instruction>(use.getUser());
  if (auto *load = dyn_cast<LoadInst>(user)) {
    // Of pointers there would be another choice.
    return load->isSimple() && !load->getType()->isPointerTy() ? load : nullptr;
  }
  auto *copy = dyn_cast<MemCpyInst>(user);
  return copy && !copy->isVolatile() && &use == &copy->getRawSourceUse() ? copy : nullptr;
}

/// A copy of `read` in front of `before` that reads from `source`; null if it would change nothing.
Instruction *readFrom(Instruction &read, Value *source, Instruction *before) {
  auto *copy = dyn_cast<MemCpyInst>(&read);
  if (copy && copy->getRawDest() == source) {
    return nullptr;
  }
  Instruction *made = read.clone();
  made->setOperand(
      copy ? copy->getRawSourceUse().getOperandNo() : LoadInst::getPointerOperandIndex(), source);
  made->insertBefore(before);
  return made;
}

bool separate(SelectInst &select) {
  Instruction *read = onlyRead(select);
  if (!read || !select.getCondition()->getType()->isIntegerTy(1)) {
    return false;
  }
  Instruction *onTrue = nullptr;
  Instruction *onFalse = nullptr;
  SplitBlockAndInsertIfThenElse(select.getCondition(), read, &onTrue, &onFalse);
  Instruction *first = readFrom(*read, select.getTrueValue(), onTrue);
  Instruction *second = readFrom(*read, select.getFalseValue(), onFalse);
  if (!read->getType()->isVoidTy()) {
    auto *value = PHINode::Create(read->getType(), 2, "", read->getIterator());
    value->addIncoming(first, onTrue->getParent());
    value->addIncoming(second, onFalse->getParent());
    value->takeName(read);
    read->replaceAllUsesWith(value);
  }
  read->eraseFromParent();
  select.eraseFromParent();
  return true;
}

/// Whether `read` may as well be done at the end of each block that leads to its own, where
/// `pointer` is chosen.
bool canMoveUp(const Instruction &read, const PHINode &pointer) {
  const BasicBlock &block = *pointer.getParent();
  if (read.getParent() != &block) {
    return false;
  }
  for (const Instruction &inst : block) {
    if (&inst == &read) {
      break;
    }
    if (inst.mayHaveSideEffects()) {
      return false;
    }
  }
  const auto isKnownAbove = [&](const Use &operand) {
    const auto *inst = dyn_cast<Instruction>(operand);
    return !inst || inst == &pointer || inst->getParent() != &block;
  };
  SmallPtrSet<const BasicBlock *, 4> seen;
  return all_of(read.operands(), isKnownAbove) && all_of(predecessors(&block), [&](auto *from) {
           return seen.insert(from).second && isa<BranchInst>(from->getTerminator());
         });
}

bool separate(PHINode &pointer) {
  Instruction *read = onlyRead(pointer);
  if (!read || !canMoveUp(*read, pointer)) {
    return false;
  }
  BasicBlock *block = pointer.getParent();
  SmallVector<BasicBlock *, 4> edges(predecessors(block));
  for (BasicBlock *&from : edges) {
    from = from->getSingleSuccessor() ? from : SplitEdge(from, block);
  }
  // Splitting an edge takes it that all phis of the block know the edge, so this one comes after.
  PHINode *value = read->getType()->isVoidTy()
                       ? nullptr
                       : PHINode::Create(read->getType(), pointer.getNumIncomingValues(), "",
                                         pointer.getIterator());
  for (BasicBlock *edge : edges) {
    Instruction *made =
        readFrom(*read, pointer.getIncomingValueForBlock(edge), edge->getTerminator());
    if (value) {
      value->addIncoming(made, edge);
    }
  }
  if (value) {
    value->takeName(read);
    read->replaceAllUsesWith(value);
  }
  read->eraseFromParent();
  pointer.eraseFromParent();
  return true;
}

/// Whether nothing is done with `pointer` but to read there and at constant distances.
bool isOnlyRead(const Instruction &pointer) {
  return all_of(pointer.uses(), [&](const Use &use) {
    const auto *user = cast<Instruction>(use.getUser());
    if (const auto *load = dyn_cast<LoadInst>(user)) {
      return load->isSimple() && !load->getType()->isPointerTy();
    }
    if (const auto *copy = dyn_cast<MemCpyInst>(user)) {
      return !copy->isVolatile() && &use == &copy->getRawSourceUse() &&
             copy->getRawDest() != &pointer;
    }
    const auto *offset = dyn_cast<GetElementPtrInst>(user);
    return offset && offset->getType()->isPointerTy() && offset->hasAllConstantIndices() &&
           isOnlyRead(*offset);
  });
}

/// Gives each use of `pointer` a choice of its own.
bool copyForUses(Instruction &pointer) {
  if (pointer.hasNUsesOrMore(2) && isOnlyRead(pointer)) {
    SmallVector<Use *, 4> uses(map_range(pointer.uses(), [](Use &use) { return &use; }));
    for (Use *use : drop_begin(uses)) {
      Instruction *copy = pointer.clone();
      copy->insertBefore(&pointer);
      use->set(copy);
    }
    return true;
  }
  return false;
}

/// Adds what is added to `pointer` alone to each of its choices instead.
bool offsetChoices(Instruction &pointer) {
  auto *offset = pointer.hasOneUse() ? dyn_cast<GetElementPtrInst>(*pointer.user_begin()) : nullptr;
  if (!offset || !isOnlyRead(pointer)) {
    return false;
  }
  const auto add = [&](Value *choice, Instruction *before) {
    Instruction *there = offset->clone();
    there->setOperand(GetElementPtrInst::getPointerOperandIndex(), choice);
    there->insertBefore(before);
    return there;
  };
  if (auto *select = dyn_cast<SelectInst>(&pointer)) {
    select->setTrueValue(add(select->getTrueValue(), select));
    select->setFalseValue(add(select->getFalseValue(), select));
  } else {
    auto &phi = cast<PHINode>(pointer);
    if (!all_of(phi.blocks(), [](auto *from) { return isa<BranchInst>(from->getTerminator()); })) {
      return false;
    }
    SmallDenseMap<BasicBlock *, Value *, 4> there;
    for (auto [from, choice] : zip_equal(phi.blocks(), phi.incoming_values())) {
      Value *&known = there[from];
      known = known ? known : add(choice, from->getTerminator());
      choice.set(known);
    }
  }
  offset->replaceAllUsesWith(&pointer);
  offset->eraseFromParent();
  return true;
}

bool separateOne(Function &function, ChosenReads which) {
  for (Instruction &inst : instructions(function)) {
    auto *select = dyn_cast<SelectInst>(&inst);
    auto *phi = dyn_cast<PHINode>(&inst);
    if (inst.getType()->isPointerTy() && (select || phi) &&
        (which == ChosenReads::All || mayBePrivate(choicesOf(inst))) &&
        (copyForUses(inst) || offsetChoices(inst) ||
         (select ? separate(*select) : separate(*phi)))) {
      return true;
    }
  }
  return false;
}

} // namespace

void separateChosenReads(Function &function, ChosenReads which) {
  // One of the addresses may itself be chosen.
  while (separateOne(function, which)) {
  }
}

} // namespace tutti::compiler
