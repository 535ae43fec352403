// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/shared_flags.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

constexpr const char *kStored = "tutti.stored";

Constant *constantOf(const StoreInst &store) {
  auto *constant = dyn_cast<Constant>(const_cast<Value *>(store.getValueOperand()));
  const bool isScalar = isa_and_nonnull<ConstantInt, ConstantFP, ConstantPointerNull>(constant);
  return isScalar ? constant : nullptr;
}

/// What a function does with one object.
struct Stores {
  SmallVector<StoreInst *, 4> relaxed;
  const Constant *constant = nullptr; ///< What the first of them stores.
  bool areOthers = false;             ///< Something else is written there.
};

} // namespace

void noteStored(CallInst &touch, const StoreInst &store) {
  if (Constant *constant = constantOf(store); constant && !store.isVolatile()) {
    touch.setMetadata(kStored, MDNode::get(touch.getContext(), ConstantAsMetadata::get(constant)));
  }
}

const Metadata *storedConstant(const CallInst &touch) {
  const MDNode *node = touch.getMetadata(kStored);
  return node ? node->getOperand(0).get() : nullptr;
}

void relaxFlags(Function &function) {
  MapVector<const Value *, Stores> objects;
  for (Instruction &inst : instructions(function)) {
    if (auto *store = dyn_cast<StoreInst>(&inst)) {
      Stores &stores = objects[getUnderlyingObject(store->getPointerOperand())];
      const Constant *constant = constantOf(*store);
      stores.constant = stores.constant ? stores.constant : constant;
      stores.areOthers |= !constant || constant != stores.constant || store->isVolatile();
      if (store->isAtomic() && !isStrongerThanMonotonic(store->getOrdering())) {
        stores.relaxed.push_back(store);
      }
    } else if (auto *update = dyn_cast<AtomicRMWInst>(&inst)) {
      objects[getUnderlyingObject(update->getPointerOperand())].areOthers = true;
    } else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&inst)) {
      objects[getUnderlyingObject(exchange->getPointerOperand())].areOthers = true;
    }
  }
  for (auto &[object, stores] : objects) {
    for (StoreInst *store : stores.areOthers ? SmallVector<StoreInst *, 4>() : stores.relaxed) {
      store->setOrdering(AtomicOrdering::NotAtomic);
    }
  }
}

} // namespace tutti::compiler
