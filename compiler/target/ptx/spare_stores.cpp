// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/target/ptx/spare_stores.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <optional>
#include <utility>

using namespace llvm;

namespace tutti::compiler::target {

namespace {

/// Whether `store` finds in memory what `value` is: it was read there, and nothing has written
/// since.
bool isThere(const StoreInst &store, const Value *value) {
  const auto *load = dyn_cast<LoadInst>(value);
  if (!load || load->getPointerOperand() != store.getPointerOperand() ||
      load->getParent() != store.getParent() || !load->isSimple()) {
    return false;
  }
  for (const Instruction *inst = load; inst != &store; inst = inst->getNextNode()) {
    if (inst->mayWriteToMemory()) {
      return false;
    }
  }
  return true;
}

/// A value for a place of memory, where it is not the one that is there.
struct Change {
  Value *isOne; ///< Whether it is not; an i1.
  Value *value;
};

/// What `store` changes, if its value is chosen between one that is there and another.
std::optional<Change> changeOf(StoreInst &store) {
  IRBuilder<> builder(&store);
  if (auto *choice = dyn_cast<SelectInst>(store.getValueOperand())) {
    if (!choice->getCondition()->getType()->isIntegerTy(1)) {
      return std::nullopt;
    }
    if (isThere(store, choice->getFalseValue())) {
      return Change{choice->getCondition(), choice->getTrueValue()};
    }
    if (isThere(store, choice->getTrueValue())) {
      return Change{builder.CreateNot(choice->getCondition()), choice->getFalseValue()};
    }
  }
  if (auto *extreme = dyn_cast<MinMaxIntrinsic>(store.getValueOperand())) {
    Value *there = extreme->getLHS();
    Value *other = extreme->getRHS();
    if (!isThere(store, there)) {
      std::swap(there, other);
    }
    if (isThere(store, there) && there->getType()->isIntegerTy()) {
      return Change{builder.CreateICmp(extreme->getPredicate(), other, there), other};
    }
  }
  return std::nullopt;
}

} // namespace

void spareStores(Module &kernels) {
  SmallVector<StoreInst *> stores;
  for (Function &function : kernels) {
    for (Instruction &inst : instructions(function)) {
      if (auto *store = dyn_cast<StoreInst>(&inst); store && store->isSimple()) {
        stores.push_back(store);
      }
    }
  }
  for (StoreInst *store : stores) {
    const std::optional<Change> change = changeOf(*store);
    if (!change) {
      continue;
    }
    auto *chosen = cast<Instruction>(store->getValueOperand());
    store->setOperand(0, change->value);
    if (chosen->use_empty()) {
      chosen->eraseFromParent();
    }
    store->moveBefore(SplitBlockAndInsertIfThen(change->isOne, store, /*Unreachable=*/false));
  }
}

} // namespace tutti::compiler::target
