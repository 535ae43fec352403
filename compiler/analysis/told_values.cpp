// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/told_values.h"

#include "compiler/ir/construct_calls.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

constexpr const char *kLeaves = "one of its loops leaves a private value to what follows";

bool isOtherCallee(const Instruction &one, const Instruction &other) {
  return cast<CallInst>(one).getCalledFunction() != cast<CallInst>(other).getCalledFunction();
}

class Teller {
public:
  Teller(Function &function, const std::vector<ConductedLoop> &loops,
         const DominatorTree &dominators)
      : function_(function), loops_(loops), dominators_(dominators) {}

  ToldValues find();

private:
  const ConductedLoop *loopOf(const Instruction &inst) const;
  bool isTurn(const Instruction &inst) const;
  void findSection(CallInst &begin);
  bool readVariable(const AllocaInst &variable);
  bool follow(Instruction &user, const Value &value);
  bool isVariable(const Value *value) const;
  bool isTold(const Instruction &inst) const;

  Function &function_;
  const std::vector<ConductedLoop> &loops_;
  const DominatorTree &dominators_;
  SmallPtrSet<const Function *, 2> begins_; ///< Functions that begin sections; others end them.
  SetVector<const Instruction *> values_;   ///< What follows from left values.
  DenseMap<const Instruction *, CallInst *> section_;
  DenseMap<CallInst *, SmallVector<CallInst *, 2>> ends_;
  SmallVector<BasicBlockEdge, 8> decided_; ///< Ways in sections that left values choose.
  ToldValues found_;
};

const ConductedLoop *Teller::loopOf(const Instruction &inst) const {
  const auto found =
      find_if(loops_, [&](const ConductedLoop &loop) { return loop.contains(inst); });
  return found == loops_.end() ? nullptr : &*found;
}

/// Whether a critical section begins or ends with `inst`, beside the loops.
bool Teller::isTurn(const Instruction &inst) const {
  return kindOf(inst) == CallKind::Critical && !loopOf(inst);
}

bool Teller::isVariable(const Value *value) const {
  const auto *variable = dyn_cast<AllocaInst>(value);
  return variable && any_of(loops_, [&](const ConductedLoop &loop) {
           return loop.combined.contains(variable);
         });
}

/// Files what is executed between `begin` and its ends, if that holds nothing that it must not.
void Teller::findSection(CallInst &begin) {
  SmallSetVector<Instruction *, 32> inside;
  SmallVector<CallInst *, 2> ends;
  SmallVector<Instruction *, 8> work{begin.getNextNode()};
  while (!work.empty()) {
    for (Instruction *inst = work.pop_back_val(); inst; inst = inst->getNextNode()) {
      if (isTurn(*inst) && !begins_.contains(cast<CallInst>(inst)->getCalledFunction())) {
        ends.push_back(cast<CallInst>(inst));
        break;
      }
      if (!inside.insert(inst)) {
        break;
      }
      const bool isOther =
          kindOf(*inst) != CallKind::None && kindOf(*inst) != CallKind::ThreadNumber;
      if (isOther || loopOf(*inst) || isa<ReturnInst>(inst)) {
        return;
      }
      for (unsigned next = 0; inst->isTerminator() && next < inst->getNumSuccessors(); ++next) {
        work.push_back(&*inst->getSuccessor(next)->begin());
      }
    }
  }
  for (Instruction *inst : inside) {
    section_[inst] = &begin;
  }
  ends_[&begin] = ends;
}

/// Takes what is read of `variable` beside the loops. False if something else is done with it.
bool Teller::readVariable(const AllocaInst &variable) {
  SmallSetVector<const Instruction *, 16> pointers;
  pointers.insert(&variable);
  for (unsigned at = 0; at < pointers.size(); ++at) {
    for (const User *user : pointers[at]->users()) {
      const auto *inst = cast<Instruction>(user);
      const ConductedLoop *loop = loopOf(*inst);
      const auto *store = dyn_cast<StoreInst>(inst);
      const auto *filled = dyn_cast<MemIntrinsic>(inst);
      if (loop && loop->combined.contains(&variable)) {
        continue;
      }
      if (loop) {
        return false;
      }
      if (isa<GetElementPtrInst>(inst)) {
        pointers.insert(inst);
      } else if (isa<LoadInst>(inst)) {
        values_.insert(inst);
      } else if (!inst->isLifetimeStartOrEnd() &&
                 !(filled && filled->getRawDest() == pointers[at]) &&
                 (!store || store->getValueOperand() == pointers[at])) {
        return false;
      }
    }
  }
  return true;
}

/// Whether `user` may do with `value` what it does; takes what follows from it.
bool Teller::follow(Instruction &user, const Value &value) {
  const auto *branch = dyn_cast<BranchInst>(&user);
  if (loopOf(user)) {
    return false;
  }
  if (section_.contains(&user)) {
    for (const BasicBlock *way : successors(user.getParent())) {
      if (branch) {
        decided_.emplace_back(user.getParent(), way);
      }
    }
    values_.insert(&user);
    return branch || !user.isTerminator();
  }
  if (const auto *update = dyn_cast<AtomicRMWInst>(&user)) {
    found_.turns.insert(update);
    return update->use_empty() && !update->isVolatile() && update->getValOperand() == &value &&
           update->getPointerOperand() != &value;
  }
  if (const auto *store = dyn_cast<StoreInst>(&user)) { // Another loop goes on with it.
    return store->getValueOperand() == &value && isVariable(store->getPointerOperand());
  }
  values_.insert(&user);
  return !user.mayReadOrWriteMemory() && !user.isTerminator();
}

/// Whether what `inst`, in a section, does to memory is of left values, or of private variables.
bool Teller::isTold(const Instruction &inst) const {
  const auto *store = dyn_cast<StoreInst>(&inst);
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
  if (!inst.mayWriteToMemory() || (intrinsic && intrinsic->isAssumeLikeIntrinsic()) ||
      inst.isLifetimeStartOrEnd() || kindOf(inst) == CallKind::ThreadNumber) {
    return true;
  }
  if (!store || !store->isSimple()) {
    return false;
  }
  const auto *value = dyn_cast<Instruction>(store->getValueOperand());
  return (value && values_.contains(value)) ||
         isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand(), 0)) ||
         any_of(decided_, [&](const BasicBlockEdge &way) {
           return dominators_.dominates(way, inst.getParent());
         });
}

ToldValues Teller::find() {
  for (Instruction &inst : instructions(function_)) {
    if (isTurn(inst) && none_of(instructions(function_), [&](const Instruction &other) {
          return isTurn(other) && isOtherCallee(other, inst) &&
                 dominators_.dominates(&other, &inst);
        })) {
      begins_.insert(cast<CallInst>(inst).getCalledFunction());
    }
  }
  for (Instruction &inst : instructions(function_)) {
    if (isTurn(inst) && begins_.contains(cast<CallInst>(inst).getCalledFunction())) {
      findSection(cast<CallInst>(inst));
    }
  }
  for (const ConductedLoop &loop : loops_) {
    for (const AllocaInst *variable : loop.combined) {
      if (!readVariable(*variable)) {
        found_.reason = kLeaves;
        return found_;
      }
    }
  }
  for (unsigned at = 0; at < values_.size(); ++at) {
    for (const User *user : values_[at]->users()) {
      if (!follow(*const_cast<Instruction *>(cast<Instruction>(user)), *values_[at])) {
        found_.reason = kLeaves;
        return found_;
      }
    }
  }
  SmallPtrSet<const CallInst *, 4> others;
  for (const auto &[inst, begin] : section_) {
    if (!isTold(*inst)) {
      others.insert(begin);
    }
  }
  for (const auto &[begin, ends] : ends_) {
    if (!others.contains(begin)) {
      found_.turns.insert(begin);
      found_.turns.insert(ends.begin(), ends.end());
    }
  }
  return found_;
}

} // namespace

ToldValues findToldValues(Function &function, const std::vector<ConductedLoop> &loops,
                          const DominatorTree &dominators) {
  return Teller(function, loops, dominators).find();
}

} // namespace tutti::compiler
