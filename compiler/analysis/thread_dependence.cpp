// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/thread_dependence.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tutti::compiler {

AllocaInst *variableOf(const Value *pointer) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(pointer, objects, nullptr, 0);
  const auto *variable = objects.size() == 1 ? dyn_cast<AllocaInst>(objects.front()) : nullptr;
  return const_cast<AllocaInst *>(variable);
}

void ThreadDependence::mark(const Value &value) {
  if (values_.insert(&value).second) {
    work_.push_back(&value);
  }
}

void ThreadDependence::add(const Value &value) {
  mark(value);
  spread();
}

void ThreadDependence::spread() {
  while (!work_.empty()) {
    const Value *value = work_.pop_back_val();
    for (const User *user : value->users()) {
      if (const auto *inst = dyn_cast<Instruction>(user)) {
        visit(*inst, *value);
      }
    }
  }
}

void ThreadDependence::addContents(const AllocaInst &variable) {
  if (!contents_.insert(&variable).second) {
    return;
  }
  SmallSetVector<const Value *, 8> pointers;
  pointers.insert(&variable);
  for (unsigned at = 0; at < pointers.size(); ++at) {
    for (const User *user : pointers[at]->users()) {
      const auto *inst = cast<Instruction>(user);
      if (isa<GetElementPtrInst, CastInst, PHINode, SelectInst>(inst)) {
        pointers.insert(inst);
      } else if (const auto *copy = dyn_cast<AnyMemTransferInst>(inst)) {
        AllocaInst *to = variableOf(copy->getRawDest());
        if (to && copy->getRawSource() == pointers[at]) {
          addContents(*to);
        }
      } else if (!isa<StoreInst>(inst) && !inst->getType()->isVoidTy()) {
        mark(*inst);
      }
    }
  }
  spread();
}

void ThreadDependence::visit(const Instruction &user, const Value &used) {
  if (user.isTerminator() && user.getNumSuccessors() > 1) {
    diverge(*user.getParent());
    return;
  }
  if (const auto *store = dyn_cast<StoreInst>(&user)) {
    if (AllocaInst *variable = variableOf(store->getPointerOperand())) {
      addContents(*variable);
    }
    return;
  }
  if (const auto *call = dyn_cast<CallBase>(&user)) {
    for (const Use &operand : call->args()) {
      AllocaInst *variable =
          operand->getType()->isPointerTy() ? variableOf(operand.get()) : nullptr;
      if (variable && operand.get() != &used) {
        addContents(*variable);
      }
    }
  }
  mark(user);
}

/// Decides differently for different threads: what lies on the ways up to where they meet is
/// executed by some of them.
void ThreadDependence::diverge(const BasicBlock &from) {
  const auto *node = after_.getNode(&from);
  const BasicBlock *join = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  SmallVector<const BasicBlock *, 16> ways(successors(&from));
  SmallPtrSet<const BasicBlock *, 16> seen;
  while (!ways.empty()) {
    const BasicBlock *block = ways.pop_back_val();
    if (!seen.insert(block).second) {
      continue;
    }
    for (const PHINode &phi : block->phis()) {
      mark(phi);
    }
    if (block == join) {
      continue;
    }
    if (divergent_.insert(block).second) {
      for (const Instruction &inst : *block) {
        if (isa<StoreInst, CallBase>(inst)) {
          visit(inst, *block);
        } else if (!isa<AllocaInst>(inst) && !inst.isTerminator()) {
          mark(inst);
        }
      }
    }
    ways.append(succ_begin(block), succ_end(block));
  }
}

} // namespace tutti::compiler
