// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/construct_code.h"

#include "compiler/ir/construct_calls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

bool isEnd(CallKind kind) { return kind == CallKind::StaticEnd || kind == CallKind::DispatchEnd; }

/// Calls after which all threads have done what comes before.
bool isBarrier(CallKind kind) { return kind == CallKind::Barrier || kind == CallKind::EndReduce; }

/// Comparisons of what `variable` holds with 0.
SmallVector<const ICmpInst *, 2> testsOf(const Value *variable) {
  SmallVector<const ICmpInst *, 2> tests;
  for (const User *user : variable->users()) {
    if (!isa<LoadInst>(user)) {
      continue;
    }
    for (const User *test : user->users()) {
      const auto *compare = dyn_cast<ICmpInst>(test);
      if (compare && compare->isEquality() &&
          PatternMatch::match(compare->getOperand(1), PatternMatch::m_Zero())) {
        tests.push_back(compare);
      }
    }
  }
  return tests;
}

/// The way that `branch`, which decides by `compare`, takes if its operands are equal (or not).
BasicBlockEdge wayOf(const BranchInst &branch, const ICmpInst &compare, bool areEqual) {
  const bool isTrue = (compare.getPredicate() == ICmpInst::ICMP_EQ) == areEqual;
  return {branch.getParent(), branch.getSuccessor(isTrue ? 0 : 1)};
}

/// The ways that a thread takes which combines the values of a reduction: `reduce` answers 0 to the
/// others.
SmallVector<BasicBlockEdge, 4> answersOf(const CallInst &reduce) {
  SmallVector<BasicBlockEdge, 4> edges;
  for (const User *user : reduce.users()) {
    if (const auto *choice = dyn_cast<SwitchInst>(user)) {
      for (const auto &answer : choice->cases()) {
        edges.emplace_back(choice->getParent(), answer.getCaseSuccessor());
      }
    }
    const auto *compare = dyn_cast<ICmpInst>(user);
    const auto *answer = compare ? dyn_cast<ConstantInt>(compare->getOperand(1)) : nullptr;
    if (!answer || !compare->isEquality()) {
      continue;
    }
    for (const User *decision : compare->users()) {
      if (const auto *branch = dyn_cast<BranchInst>(decision)) {
        edges.push_back(wayOf(*branch, *compare, !answer->isZero()));
      }
    }
  }
  return edges;
}

} // namespace

bool SequencedLoop::isDispatch() const { return kindOf(*init) == CallKind::DispatchInit; }

Value *SequencedLoop::lastFlag() const {
  return operandOf(isDispatch() ? *next.front() : *init, Role::Last);
}

SmallVector<SequencedLoop, 4> sequencedLoops(Function &outlined) {
  SmallVector<SequencedLoop, 4> loops;
  SmallVector<CallInst *, 16> others;
  for (Instruction &inst : instructions(outlined)) {
    const CallKind kind = kindOf(inst);
    if (isInit(kind)) {
      loops.push_back({cast<CallInst>(&inst), {}, {}, {}});
    } else if (kind == CallKind::DispatchNext || isEnd(kind) || kind == CallKind::Reduce) {
      others.push_back(cast<CallInst>(&inst));
    }
  }
  // A call belongs to the last loop that must have begun before it.
  const DominatorTree dominators(outlined);
  for (CallInst *call : others) {
    SequencedLoop *mine = nullptr;
    for (SequencedLoop &loop : loops) {
      if (dominators.dominates(loop.init, call) &&
          (!mine || dominators.dominates(mine->init, loop.init))) {
        mine = &loop;
      }
    }
    if (mine) {
      const CallKind kind = kindOf(*call);
      (kind == CallKind::DispatchNext ? mine->next
       : kind == CallKind::Reduce     ? mine->reduce
                                      : mine->ends)
          .push_back(call);
    }
  }
  return loops;
}

ConstructCode::ConstructCode(Function &function, FunctionAnalysisManager &analyses)
    : function_(function), analyses_(analyses), loops_(sequencedLoops(function)) {}

DominatorTree &ConstructCode::dominators() const {
  return analyses_.getResult<DominatorTreeAnalysis>(function_);
}

bool ConstructCode::isRegular() const {
  return all_of(loops_, [](const SequencedLoop &loop) {
    return !loop.ends.empty() && loop.isDispatch() != loop.next.empty();
  });
}

bool ConstructCode::isRepeated(unsigned loop) {
  const BasicBlock *block = loops_[loop].init->getParent();
  return blocksBehind(*block).contains(block);
}

int ConstructCode::owner(const Instruction &inst) const {
  const auto found = owners_.find(&inst);
  return found == owners_.end() ? kBeside : found->second;
}

/// The blocks that may be executed after `block` was left.
const SmallPtrSetImpl<const BasicBlock *> &ConstructCode::blocksBehind(const BasicBlock &block) {
  const auto [entry, isNew] = behind_.try_emplace(&block);
  SmallVector<const BasicBlock *, 32> work;
  if (isNew) {
    work.append(succ_begin(&block), succ_end(&block));
  }
  while (!work.empty()) {
    const BasicBlock *next = work.pop_back_val();
    if (entry->second.insert(next).second) {
      work.append(succ_begin(next), succ_end(next));
    }
  }
  return entry->second;
}

bool ConstructCode::reaches(const Instruction &from, const Instruction &to) {
  return (from.getParent() == to.getParent() && from.comesBefore(&to)) ||
         blocksBehind(*from.getParent()).contains(to.getParent());
}

/// What is executed only if `edge` was taken.
SmallVector<const Instruction *, 32> ConstructCode::onlyAfter(const BasicBlockEdge &edge) const {
  SmallVector<const Instruction *, 32> found;
  for (BasicBlock &block : function_) {
    if (dominators().dominates(edge, &block)) {
      for (const Instruction &inst : block) {
        found.push_back(&inst);
      }
    }
  }
  return found;
}

bool ConstructCode::fileInstructions() {
  for (unsigned index = 0; index < loops_.size(); ++index) {
    SmallVector<Instruction *, 32> work{loops_[index].init};
    SmallPtrSet<const Instruction *, 32> seen;
    while (!work.empty()) {
      for (Instruction *inst = work.pop_back_val(); inst; inst = inst->getNextNode()) {
        if (!seen.insert(inst).second) {
          break;
        }
        if (!owners_.try_emplace(inst, index).second) {
          return false; // Two loops inside of each other.
        }
        skipped_.insert(inst);
        if (isEnd(kindOf(*inst))) {
          break;
        }
        for (unsigned next = 0; inst->isTerminator() && next < inst->getNumSuccessors(); ++next) {
          work.push_back(&*inst->getSuccessor(next)->begin());
        }
      }
    }
  }
  for (unsigned index = 0; index < loops_.size(); ++index) {
    for (CallInst *reduce : loops_[index].reduce) {
      for (Instruction &inst : instructions(function_)) {
        const bool isAfter = any_of(loops_[index].ends, [&](const CallInst *end) {
          return dominators().dominates(end, &inst);
        });
        if (owner(inst) == kBeside && isAfter && (&inst == reduce || reaches(inst, *reduce))) {
          owners_[&inst] = index;
        }
      }
      for (const User *user : reduce->users()) {
        owners_[cast<Instruction>(user)] = index;
      }
    }
    fileGuarded(index);
  }
  for (Instruction &inst : instructions(function_)) {
    if (kindOf(inst) == CallKind::Reduce) {
      for (const BasicBlockEdge &edge : answersOf(cast<CallInst>(inst))) {
        for (const Instruction *only : onlyAfter(edge)) {
          combining_.insert(only);
        }
      }
    }
  }
  return true;
}

void ConstructCode::fileGuarded(unsigned index) {
  SmallVector<BasicBlockEdge, 4> edges;
  for (const ICmpInst *compare : testsOf(loops_[index].lastFlag())) {
    owners_[cast<Instruction>(compare->getOperand(0))] = owners_[compare] = index;
    for (const User *user : compare->users()) {
      if (const auto *branch = dyn_cast<BranchInst>(user)) {
        owners_[branch] = index;
        edges.push_back(wayOf(*branch, *compare, false));
      }
    }
  }
  for (const CallInst *reduce : loops_[index].reduce) {
    edges.append(answersOf(*reduce));
  }
  for (const BasicBlockEdge &edge : edges) {
    for (const Instruction *inst : onlyAfter(edge)) {
      owners_[inst] = index;
      skipped_.insert(inst);
    }
  }
}

bool ConstructCode::passesBarrier(const Instruction &from, const Instruction &to) {
  return any_of(instructions(function_), [&](Instruction &inst) {
    return isBarrier(kindOf(inst)) && reaches(from, inst) && reaches(inst, to);
  });
}

bool ConstructCode::mayChange(unsigned index, const MemoryLocation &location) {
  auto &aliases = analyses_.getResult<AAManager>(function_);
  return any_of(instructions(function_), [&](Instruction &inst) {
    return owner(inst) == static_cast<int>(index) && inst.mayWriteToMemory() &&
           kindOf(inst) == CallKind::None && isModSet(aliases.getModRefInfo(&inst, location));
  });
}

} // namespace tutti::compiler
