// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/target/opencl/pointer_spaces.h"

#include "compiler/ir/kernel.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace tutti::compiler::target::opencl {

namespace {

/// The pointers that `inst` hands on, if it computes a pointer from pointers.
SmallVector<const Value *, 2> sources(const Instruction &inst) {
  if (const auto *phi = dyn_cast<PHINode>(&inst)) {
    return SmallVector<const Value *, 2>(phi->incoming_values());
  }
  if (const auto *select = dyn_cast<SelectInst>(&inst)) {
    return {select->getTrueValue(), select->getFalseValue()};
  }
  if (isa<GetElementPtrInst, FreezeInst, BitCastInst>(inst)) {
    return {inst.getOperand(0)};
  }
  if (const auto *call = dyn_cast<IntrinsicInst>(&inst);
      call && call->arg_size() > 0 && call->getArgOperand(0)->getType() == call->getType()) {
    return {call->getArgOperand(0)};
  }
  return {};
}

/// Whether numbers computed from `value` become pointers or are stored.
bool escapes(const Value &value, SmallPtrSetImpl<const Value *> &seen) {
  for (const User *user : value.users()) {
    if (!seen.insert(user).second) {
      continue;
    }
    if (isa<IntToPtrInst, StoreInst>(user)) {
      return true;
    }
    if (isa<BinaryOperator, CastInst, PHINode, SelectInst, FreezeInst>(user) &&
        escapes(*user, seen)) {
      return true;
    }
  }
  return false;
}

} // namespace

PointerSpaces::PointerSpaces(const Function &kernel) {
  for (changed_ = true; changed_;) {
    changed_ = false;
    for (const Instruction &inst : instructions(kernel)) {
      if (!inst.getType()->isPointerTy()) {
        continue;
      }
      const auto from = sources(inst);
      if (from.empty()) {
        merge(inst, root(inst));
      }
      for (const Value *source : from) {
        merge(inst, of(*source));
      }
    }
  }
  for (const Instruction &inst : instructions(kernel)) {
    check(inst);
  }
}

Space PointerSpaces::of(const Value &pointer) const {
  return isa<Instruction>(pointer) ? spaces_.lookup(&pointer) : root(pointer);
}

Space PointerSpaces::root(const Value &pointer) const {
  if (const auto *constant = dyn_cast<Constant>(&pointer)) {
    const auto *expression = dyn_cast<ConstantExpr>(constant);
    if (expression && expression->getOpcode() == Instruction::GetElementPtr) {
      return root(*expression->getOperand(0));
    }
    return isa<GlobalVariable>(constant) ? Space::Constant
           : expression                  ? Space::Global // inttoptr of a number
                                         : Space::Any;
  }
  if (isa<AllocaInst>(pointer)) {
    return Space::Private;
  }
  if (isa<Argument, IntToPtrInst>(pointer)) {
    return Space::Global;
  }
  if (const auto *call = dyn_cast<CallBase>(&pointer);
      call && call->getCalledFunction() &&
      (call->getCalledFunction()->getName() == kernel::kLocalMemory ||
       call->getCalledFunction()->getName() == kernel::kLocalArray)) {
    return Space::Local;
  }
  return Space::Unknown;
}

void PointerSpaces::merge(const Instruction &pointer, Space space) {
  Space &known = spaces_[&pointer];
  const auto isShared = [](Space which) {
    return which == Space::Global || which == Space::Unknown;
  };
  if (space == Space::Any || space == known) {
    return;
  }
  if (known == Space::Any || (known == Space::Global && space == Space::Unknown)) {
    known = space;
    changed_ = true;
  } else if (!(isShared(known) && isShared(space)) && reason_.empty()) {
    reason_ = "has a pointer that may lead to private or to shared memory";
  }
}

void PointerSpaces::check(const Instruction &inst) {
  const auto isOwn = [&](const Value &value) {
    const Space space = value.getType()->isPointerTy() ? of(value) : Space::Any;
    return space == Space::Private || space == Space::Local || space == Space::Constant;
  };
  if (const auto *store = dyn_cast<StoreInst>(&inst); store && isOwn(*store->getValueOperand())) {
    reason_ = "stores a pointer to private memory";
  }
  if (const auto *cast = dyn_cast<PtrToIntInst>(&inst); cast && isOwn(*cast->getOperand(0))) {
    SmallPtrSet<const Value *, 8> seen;
    if (escapes(*cast, seen)) {
      reason_ = "computes with the address of private memory";
    }
  }
  const Value *followed = getLoadStorePointerOperand(&inst);
  if (followed && of(*followed) == Space::Unknown) {
    reason_ = "follows a pointer that it loaded from memory";
  }
  const auto *memory = dyn_cast<MemIntrinsic>(&inst);
  if (memory && (of(*memory->getRawDest()) == Space::Unknown ||
                 (isa<MemTransferInst>(memory) &&
                  of(*cast<MemTransferInst>(memory)->getRawSource()) == Space::Unknown))) {
    reason_ = "follows a pointer that it loaded from memory";
  }
}

} // namespace tutti::compiler::target::opencl
