// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/uniform_branches.h"

#include "compiler/ir/construct_calls.h"
#include "compiler/ir/forks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

constexpr unsigned kDeepest = 12;

bool isOperation(const Instruction &inst) {
  return isa<CastInst, CmpInst, SelectInst>(inst) ||
         (isa<BinaryOperator>(inst) && !inst.isIntDivRem());
}

bool isFromCaptures(const Value *value, unsigned depth) {
  if (const auto *argument = dyn_cast<Argument>(value)) {
    return argument->getArgNo() >= kThreadArguments;
  }
  const auto *inst = dyn_cast<Instruction>(value);
  return isa<ConstantInt, ConstantFP, UndefValue>(value) ||
         (inst && depth < kDeepest && isOperation(*inst) &&
          all_of(
              inst->operands(),
              [depth](const Use &operand) { return isFromCaptures(operand, depth + 1); }));
}

/// What of a loop lies on the sides of a branch.
struct Sides {
  unsigned on[2] = {0, 0}; ///< Worksharing loops and forks.
  bool hasMore = false;    ///< There is one beside them.

  bool isChoice() const { return on[0] == 1 && on[1] == 1 && !hasMore; }
};

Sides sidesOf(BranchInst &branch, ArrayRef<const BasicBlock *> parts, const DominatorTree &tree) {
  Sides sides;
  for (const BasicBlock *part : parts) {
    bool isBeside = true;
    for (const unsigned side : seq(2U)) {
      const BasicBlockEdge edge(branch.getParent(), branch.getSuccessor(side));
      if (tree.dominates(edge, part)) {
        ++sides.on[side];
        isBeside = false;
      }
    }
    sides.hasMore |= isBeside;
  }
  return sides;
}

/// The loop of teams is begun once for both versions.
bool beginsTeams(const Instruction &inst) {
  if (kindOf(inst) != CallKind::StaticInit) {
    return false;
  }
  const Schedule schedule = scheduleOf(cast<CallInst>(inst));
  return schedule == Schedule::TeamsEven || schedule == Schedule::TeamsChunked;
}

/// Where the loops and forks of `outlined` are; of teams that fork nothing their loops.
SmallVector<const BasicBlock *, 8> partsOf(Function &outlined, const DominatorTree &tree) {
  SmallVector<const BasicBlock *, 8> parts;
  bool hasTeams = false;
  for (const Instruction &inst : instructions(outlined)) {
    const CallKind kind = kindOf(inst);
    const bool isOfTeams = beginsTeams(inst);
    hasTeams |= isOfTeams;
    if (kind == CallKind::Fork || (isInit(kind) && !isOfTeams)) {
      parts.push_back(inst.getParent());
    }
  }
  if (parts.empty() && hasTeams) {
    const LoopInfo loops(tree);
    for (const Loop *loop : loops) {
      parts.push_back(loop->getHeader());
    }
  }
  return parts;
}

} // namespace

bool isFromCaptures(const Value *value) { return isFromCaptures(value, 0); }

bool mayHaveVersions(const Function &outlined) {
  unsigned parts = 0;
  for (const Instruction &inst : instructions(outlined)) {
    if (beginsTeams(inst)) {
      return true;
    }
    const CallKind kind = kindOf(inst);
    parts += kind == CallKind::Fork || isInit(kind) ? 1 : 0;
  }
  return parts > 1;
}

BranchInst *choiceOfVersions(Function &outlined) {
  const DominatorTree tree(outlined);
  const SmallVector<const BasicBlock *, 8> parts = partsOf(outlined, tree);
  if (parts.size() != 2) {
    return nullptr;
  }
  for (BasicBlock &block : outlined) {
    auto *branch = dyn_cast<BranchInst>(block.getTerminator());
    if (branch && branch->isConditional() && !isa<Constant>(branch->getCondition()) &&
        branch->getSuccessor(0) != branch->getSuccessor(1) &&
        isFromCaptures(branch->getCondition()) && sidesOf(*branch, parts, tree).isChoice()) {
      return branch;
    }
  }
  return nullptr;
}

void BoundCaptures::bind(const CallInst &fork, const Function &inner) {
  for (unsigned index = kFirstCapture; index < fork.arg_size(); ++index) {
    captures_[inner.getArg(index - kFirstCapture + kThreadArguments)] = fork.getArgOperand(index);
  }
}

/// What `value` is a copy of: a capture of what is passed, and of a capture that holds a smaller
/// variable that variable.
const Value *BoundCaptures::source(const Value *value) const {
  using namespace PatternMatch;
  if (const auto *argument = dyn_cast<Argument>(value)) {
    const Value *bound = captures_.lookup(argument);
    return bound ? source(bound) : value;
  }
  const auto *narrow = dyn_cast<TruncInst>(value);
  const Value *wide = narrow ? source(narrow->getOperand(0)) : nullptr;
  Value *kept = nullptr;
  const APInt *mask = nullptr;
  if (!wide || !(match(wide, m_ZExt(m_Value(kept))) ||
                 (match(wide, m_c_Or(m_And(m_Value(), m_APInt(mask)), m_ZExt(m_Value(kept)))) &&
                  mask->countr_zero() >= narrow->getType()->getScalarSizeInBits()))) {
    return value;
  }
  return kept->getType() == narrow->getType() ? source(kept) : value;
}

bool BoundCaptures::areSame(const Value *one, const Value *other, unsigned depth) const {
  one = source(one);
  other = source(other);
  if (one == other) {
    return true;
  }
  const auto *first = dyn_cast<Instruction>(one);
  const auto *second = dyn_cast<Instruction>(other);
  return first && second && depth < kDeepest && isOperation(*first) &&
         first->isSameOperationAs(second) &&
         all_of(
             zip(first->operands(), second->operands()),
             [&](const auto &pair) {
               return areSame(std::get<0>(pair), std::get<1>(pair), depth + 1);
             });
}

} // namespace tutti::compiler
