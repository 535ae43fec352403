// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/loop_sequence.h"

#include "compiler/analysis/construct_code.h"
#include "compiler/ir/construct_calls.h"
#include "compiler/ir/forks.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// What is between the loops, and what is theirs.
class Sequence {
public:
  Sequence(Function &function, FunctionAnalysisManager &analyses)
      : function_(function), analyses_(analyses), code_(function, analyses) {}

  std::string check();

private:
  static constexpr int kBetween = ConstructCode::kBeside;

  struct Accessors {
    SmallSetVector<int, 4> readers;
    SmallSetVector<int, 4> writers;
    SmallSetVector<int, 4> keepers; ///< Of the address, through which others may read and write.
  };

  std::string checkBetween(Instruction &inst);
  std::string checkValues();
  Accessors accessors(AllocaInst &variable) const;
  std::string checkLoad(Instruction &load);
  void collectUses(Instruction &load, SetVector<unsigned> &users, bool &all);
  void addControlled(const Instruction &branch, SetVector<Instruction *> &work,
                     SetVector<unsigned> &users);

  int owner(const Instruction &inst) const { return code_.owner(inst); }

  ArrayRef<SequencedLoop> loops() const { return code_.loops(); }

  Function &function_;
  FunctionAnalysisManager &analyses_;
  ConstructCode code_;
};

/// The private variable that `pointer` leads into, or null.
AllocaInst *privateVariable(Value *pointer) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(pointer, objects); // Through the loops that go over arrays, too.
  const auto *variable = objects.size() == 1 ? dyn_cast<AllocaInst>(objects.front()) : nullptr;
  return const_cast<AllocaInst *>(variable);
}

/// Private code must have no effect but on private variables.
std::string Sequence::checkBetween(Instruction &inst) {
  if (!inst.mayHaveSideEffects() || isa<AllocaInst>(inst)) {
    return {};
  }
  if (const auto *store = dyn_cast<StoreInst>(&inst)) {
    return store->isSimple() && privateVariable(inst.getOperand(1))
               ? ""
               : "it writes to shared memory outside of its loops";
  }
  if (auto *memory = dyn_cast<AnyMemIntrinsic>(&inst)) {
    return privateVariable(memory->getRawDest())
               ? ""
               : "it writes to shared memory outside of its loops";
  }
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
  if (intrinsic && (intrinsic->isLifetimeStartOrEnd() || intrinsic->isAssumeLikeIntrinsic() ||
                    intrinsic->getIntrinsicID() == Intrinsic::stacksave ||
                    intrinsic->getIntrinsicID() == Intrinsic::stackrestore)) {
    return {};
  }
  const CallKind kind = kindOf(inst);
  return kind == CallKind::Barrier || kind == CallKind::ThreadNumber
             ? ""
             : "it does more outside of its loops than compute private values";
}

/// What a loop leaves in private variables must not be looked at elsewhere.
std::string Sequence::checkValues() {
  for (Instruction &inst : instructions(function_)) {
    const int own = owner(inst);
    if (own == kBetween) {
      continue;
    }
    for (const User *user : inst.users()) {
      if (owner(*cast<Instruction>(user)) != own) {
        return "one of its loops leaves a private value to what follows";
      }
    }
  }
  for (Instruction &inst : instructions(function_)) {
    auto *variable = dyn_cast<AllocaInst>(&inst);
    const Accessors found = variable ? accessors(*variable) : Accessors();
    if (found.keepers.contains(kBetween)) {
      return "it keeps the address of a private variable";
    }
    for (const int writer : found.writers) {
      if (writer != kBetween &&
          any_of(found.readers, [&](int reader) { return reader != writer; })) {
        return "one of its loops leaves a private value to what follows";
      }
    }
  }
  return {};
}

/// Who reads and who writes `variable`: loops, or kBetween.
Sequence::Accessors Sequence::accessors(AllocaInst &variable) const {
  Accessors found;
  SetVector<Value *> pointers;
  pointers.insert(&variable);
  for (unsigned at = 0; at < pointers.size(); ++at) {
    for (User *user : pointers[at]->users()) {
      auto *inst = cast<Instruction>(user);
      const auto *store = dyn_cast<StoreInst>(inst);
      const auto *intrinsic = dyn_cast<IntrinsicInst>(inst);
      if (isa<GetElementPtrInst, CastInst, PHINode, SelectInst>(inst)) {
        pointers.insert(inst);
      } else if (store && store->getValueOperand() != pointers[at]) {
        found.writers.insert(owner(*inst));
      } else if (isa<LoadInst>(inst)) {
        found.readers.insert(owner(*inst));
      } else if (!isa<ICmpInst>(inst) && !(intrinsic && intrinsic->isLifetimeStartOrEnd())) {
        found.readers.insert(owner(*inst));
        found.writers.insert(owner(*inst));
        if (!isa<AnyMemIntrinsic>(inst) && kindOf(*inst) == CallKind::None) {
          found.keepers.insert(owner(*inst));
        }
      }
    }
  }
  return found;
}

/// What a branch between the loops decides: the loops that it may pass by, and the values that
/// depend on the way taken.
void Sequence::addControlled(const Instruction &branch, SetVector<Instruction *> &work,
                             SetVector<unsigned> &users) {
  auto &postDominators = analyses_.getResult<PostDominatorTreeAnalysis>(function_);
  const auto *node = postDominators.getNode(branch.getParent());
  const BasicBlock *join = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  SmallVector<const BasicBlock *, 8> ways(successors(branch.getParent()));
  SmallPtrSet<const BasicBlock *, 8> seen;
  while (!ways.empty()) {
    const BasicBlock *block = ways.pop_back_val();
    if (!seen.insert(block).second) {
      continue;
    }
    for (const PHINode &phi : block->phis()) {
      work.insert(const_cast<PHINode *>(&phi));
    }
    if (block == join) {
      continue;
    }
    for (unsigned index = 0; index < loops().size(); ++index) {
      if (loops()[index].init->getParent() == block) {
        users.insert(index);
      }
    }
    ways.append(succ_begin(block), succ_end(block));
  }
}

/// The loops that use what `load` reads, directly or through what is computed from it.
void Sequence::collectUses(Instruction &load, SetVector<unsigned> &users, bool &all) {
  SetVector<Instruction *> work;
  work.insert(&load);
  for (unsigned at = 0; at < work.size(); ++at) {
    Instruction *inst = work[at];
    if (const int own = owner(*inst); own != kBetween && inst != &load) {
      users.insert(own);
      continue;
    }
    if (inst->isTerminator()) {
      addControlled(*inst, work, users);
      continue;
    }
    if (inst != &load && inst->mayWriteToMemory()) {
      AllocaInst *variable = isa<StoreInst>(inst) ? privateVariable(inst->getOperand(1)) : nullptr;
      const Accessors found = variable ? accessors(*variable) : Accessors();
      all |= !variable || found.readers.contains(kBetween);
      for (const int reader : found.readers) {
        if (reader != kBetween) {
          users.insert(reader);
        }
      }
      continue;
    }
    for (User *user : inst->users()) {
      work.insert(cast<Instruction>(user));
    }
  }
}

/// What private code reads of shared memory is read again in front of every loop that uses it.
/// Loops up to the next barrier cannot have changed it meanwhile: another thread could read it only
/// after that.
std::string Sequence::checkLoad(Instruction &load) {
  const std::optional<MemoryLocation> location = MemoryLocation::getOrNone(&load);
  bool all = !location || !isa<LoadInst>(load);
  SetVector<unsigned> users;
  if (!all) {
    collectUses(load, users, all);
  }
  const unsigned last = all             ? loops().size()
                        : users.empty() ? 0
                                        : *std::max_element(users.begin(), users.end());
  for (unsigned index = 0; index < last; ++index) {
    const CallInst &init = *loops()[index].init;
    if (code_.passesBarrier(load, init) && (!location || code_.mayChange(index, *location))) {
      return "one of its loops may change what a private value was computed from";
    }
  }
  return {};
}

std::string Sequence::check() {
  if (!code_.isRegular()) {
    return "one of its loops has an unusual form";
  }
  for (unsigned index = 0; index < loops().size(); ++index) {
    if (code_.isRepeated(index)) {
      return kRepeated;
    }
  }
  for (unsigned index = 1; index < loops().size(); ++index) {
    if (any_of(seq(index), [&](unsigned before) {
          return code_.reaches(*loops()[index].init, *loops()[before].init);
        })) {
      return "one of its loops has an unusual form";
    }
  }
  if (!code_.fileInstructions()) {
    return "one of its loops has an unusual form";
  }
  for (Instruction &inst : instructions(function_)) {
    if (isa<IndirectBrInst>(inst)) {
      return "it jumps to computed places"; // Of the function itself, not of its copies.
    }
    if (kindOf(inst) == CallKind::Reduce && owner(inst) == kBetween) {
      return "it reduces over all of its loops";
    }
    const auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
    if ((intrinsic && intrinsic->getIntrinsicID() == Intrinsic::threadlocal_address) ||
        kindOf(inst) == CallKind::ThreadPrivate) {
      return "it uses thread-private variables";
    }
    if (isa<CallBase>(inst) && cast<CallBase>(inst).getCalledFunction() &&
        cast<CallBase>(inst).getCalledFunction()->getName().starts_with("omp_")) {
      return "it asks OpenMP for more than loops";
    }
    if (!code_.isSkipped(inst) && kindOf(inst) != CallKind::Reduce) {
      if (std::string reason = checkBetween(inst); !reason.empty()) {
        return reason;
      }
    }
  }
  if (std::string reason = checkValues(); !reason.empty()) {
    return reason;
  }
  for (Instruction &inst : instructions(function_)) {
    if (owner(inst) != kBetween || !inst.mayReadFromMemory() || kindOf(inst) != CallKind::None ||
        isa<StoreInst>(inst)) {
      continue;
    }
    const auto *load = dyn_cast<LoadInst>(&inst);
    const auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
    Value *from = load ? inst.getOperand(0) : nullptr;
    if (auto *copy = dyn_cast<AnyMemTransferInst>(&inst)) {
      from = copy->getRawSource();
    } else if (intrinsic && !load) {
      continue; // Of those that checkBetween lets pass none reads shared memory.
    }
    const auto *argument = from ? dyn_cast<Argument>(getUnderlyingObject(from)) : nullptr;
    const bool isThreadNumber = argument && argument->getArgNo() < kThreadArguments;
    if (isThreadNumber || (from && privateVariable(from))) {
      continue;
    }
    if (std::string reason = checkLoad(inst); !reason.empty()) {
      return reason;
    }
  }
  return {};
}

} // namespace

std::string whyWhole(const Function &outlined) {
  const StringRef why = outlined.getFnAttribute(kWholeConstruct).getValueAsString();
  return why.empty() ? "" : ", and " + why.str();
}

std::string whyNotApart(Function &outlined, FunctionAnalysisManager &analyses) {
  return Sequence(outlined, analyses).check();
}

} // namespace tutti::compiler
