// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/device_pointers.h"

#include "compiler/analysis/chunk_model.h"
#include "compiler/ir/kernel.h"
#include "compiler/transform/chunk_function.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace tutti::compiler {

KernelMemory kernelMemory(const Value *pointer, const Argument *partials) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(pointer, objects, nullptr, 0);
  erase_if(objects, [](const Value *object) { return isa<UndefValue>(object); });
  const auto isOfDevice = [&](const Value *object) {
    const auto *call = dyn_cast<CallInst>(object);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    return object == partials || (callee && callee->getName() == kernel::kLocalMemory);
  };
  if (any_of(objects, isOfDevice)) {
    return all_of(objects, isOfDevice) ? KernelMemory::Device : KernelMemory::Mixed;
  }
  switch (memoryKind(pointer)) {
  case MemoryKind::Private:
    return KernelMemory::Private;
  case MemoryKind::Constant:
    return KernelMemory::Constant;
  case MemoryKind::Shared:
    return KernelMemory::Shared;
  case MemoryKind::Mixed:
    break;
  }
  return KernelMemory::Mixed;
}

/// Casts by hand: a builder would fold those of globals into constants.
Value *DevicePointers::atRoot(Value *root) {
  if (Value *known = known_.lookup(root)) {
    return known;
  }
  Instruction *before = entry_;
  if (auto *inst = dyn_cast<Instruction>(root)) {
    before = &**inst->getInsertionPointAfterDef();
  }
  IRBuilder<> build(before);
  constexpr std::uint64_t kHighHalf = std::uint64_t{1} << 32;
  Type *i64 = build.getInt64Ty();
  Value *address = CastInst::Create(Instruction::PtrToInt, root, i64, "", before->getIterator());
  Value *isLow = build.CreateICmpULT(address, build.getInt64(kHighHalf));
  Value *distance = build.CreateSelect(isLow, lowDistance_, highDistance_);
  Value *there = build.CreateIntToPtr(build.CreateAdd(address, distance), root->getType());
  known_[root] = there;
  return there;
}

Value *DevicePointers::translated(Value *pointer) {
  if (Value *known = known_.lookup(pointer)) {
    return known;
  }
  if (auto *gep = dyn_cast<GetElementPtrInst>(pointer)) {
    Value *base = translated(gep->getPointerOperand());
    auto *there = cast<GetElementPtrInst>(gep->clone());
    there->setOperand(GetElementPtrInst::getPointerOperandIndex(), base);
    there->insertAfter(gep);
    known_[gep] = there;
    return there;
  }
  if (auto *phi = dyn_cast<PHINode>(pointer)) {
    PHINode *there = PHINode::Create(phi->getType(), phi->getNumIncomingValues(), "",
                                     std::next(phi->getIterator()));
    known_[phi] = there; // First: loops lead back here.
    for (unsigned index = 0; index < phi->getNumIncomingValues(); ++index) {
      there->addIncoming(translated(phi->getIncomingValue(index)), phi->getIncomingBlock(index));
    }
    return there;
  }
  if (auto *select = dyn_cast<SelectInst>(pointer)) {
    Value *ifTrue = translated(select->getTrueValue());
    Value *ifFalse = translated(select->getFalseValue());
    Value *there = SelectInst::Create(select->getCondition(), ifTrue, ifFalse, "",
                                      std::next(select->getIterator()));
    known_[select] = there;
    return there;
  }
  return atRoot(pointer);
}

void DevicePointers::translate() {
  SmallVector<Use *, 64> uses;
  for (Instruction &inst : instructions(function_)) {
    for (Use *use : dereferences(inst)) {
      if (kernelMemory(use->get(), partials_) == KernelMemory::Shared) {
        uses.push_back(use);
      }
    }
  }
  if (uses.empty()) {
    return;
  }
  entry_ = &*function_.getEntryBlock().getFirstInsertionPt();
  IRBuilder<> build(entry_);
  Value *arena = build.CreatePtrToInt(arena_, build.getInt64Ty());
  lowDistance_ = build.CreateAdd(low_, arena);
  highDistance_ = build.CreateAdd(high_, arena);
  for (Use *use : uses) {
    use->set(translated(use->get()));
  }
}

} // namespace tutti::compiler
