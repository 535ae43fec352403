// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/teams.h"

#include "compiler/ir/construct_calls.h"
#include "compiler/ir/forks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

bool isDistribute(const CallInst &init) {
  const Schedule schedule = scheduleOf(init);
  return schedule == Schedule::TeamsChunked || schedule == Schedule::TeamsEven;
}

/// Whether `pointer` leads to variables of the function itself and nothing else.
bool isOwn(const Value *pointer) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(pointer, objects);
  return all_of(objects, [](const Value *object) { return isa<AllocaInst>(object); });
}

bool mayBeOwn(const Value *pointer) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(pointer, objects);
  return any_of(objects, [](const Value *object) { return isa<AllocaInst>(object); });
}

/// The blocks in which one thread or team acts for all: what follows a reduction, and what follows
/// the test for the last iteration.
class ExclusiveBlocks {
public:
  explicit ExclusiveBlocks(Function &function) : tree_(function) {
    for (Instruction &inst : instructions(function)) {
      if (auto *call = dyn_cast<CallInst>(&inst)) {
        const CallKind kind = kindOf(*call);
        if (kind == CallKind::Reduce) {
          addReduction(*call);
        } else if (kind == CallKind::StaticInit || kind == CallKind::DispatchNext) {
          addLast(*operandOf(*call, Role::Last));
        }
      }
    }
  }

  bool holds(const Instruction &inst) const { return holds(inst, reductions_) || isLast(inst); }

  bool isReduction(const Instruction &inst) const { return holds(inst, reductions_); }

  const DominatorTree &tree() const { return tree_; }

private:
  bool isLast(const Instruction &inst) const { return holds(inst, last_); }

  bool holds(const Instruction &inst, ArrayRef<BasicBlockEdge> edges) const {
    return any_of(
        edges, [&](const BasicBlockEdge &edge) { return tree_.dominates(edge, inst.getParent()); });
  }

  void addReduction(CallInst &call) {
    for (User *user : call.users()) {
      if (auto *choice = dyn_cast<SwitchInst>(user)) {
        for (auto &answer : choice->cases()) {
          reductions_.emplace_back(choice->getParent(), answer.getCaseSuccessor());
        }
      }
    }
  }

  void addLast(Value &flag) {
    for (User *user : flag.users()) {
      auto *load = dyn_cast<LoadInst>(user);
      if (load) {
        for (User *test : load->users()) {
          addTest(*test);
        }
      }
    }
  }

  void addTest(User &test) {
    using namespace PatternMatch;
    ICmpInst::Predicate predicate;
    if (!match(&test, m_ICmp(predicate, m_Value(), m_Zero())) || predicate != ICmpInst::ICMP_NE) {
      return;
    }
    for (User *jump : test.users()) {
      if (auto *branch = dyn_cast<BranchInst>(jump)) {
        last_.emplace_back(branch->getParent(), branch->getSuccessor(0));
      }
    }
  }

  DominatorTree tree_;
  SmallVector<BasicBlockEdge, 4> reductions_;
  SmallVector<BasicBlockEdge, 4> last_;
};

/// Whether a pointer to one of the function's own variables is stored by `store`, other than into
/// the list for a reduction.
bool leaksOwn(const StoreInst &store) {
  const Value *value = store.getValueOperand();
  if (!value->getType()->isPointerTy() || !mayBeOwn(value)) {
    return false;
  }
  const auto *list = dyn_cast<AllocaInst>(getUnderlyingObject(store.getPointerOperand()));
  return !list || any_of(list->users(), [](const User *user) {
    const auto *call = dyn_cast<CallInst>(user);
    return !(call && (kindOf(*call) == CallKind::Reduce || call->isLifetimeStartOrEnd())) &&
           !isa<StoreInst>(user) && !isa<GetElementPtrInst>(user);
  });
}

bool isInitializer(const CallInst &call) {
  const Function *callee = call.getCalledFunction();
  return callee && (callee->getName().contains("omp_initializer") ||
                    callee->getName().contains("omp_combiner"));
}

/// Whether every thread may do what the team did once: it changes nothing but the team's variables.
bool isRepeatable(const Instruction &inst) {
  if (const auto *store = dyn_cast<StoreInst>(&inst)) {
    return !store->isVolatile() && isOwn(store->getPointerOperand()) && !leaksOwn(*store);
  }
  if (const auto *copy = dyn_cast<AnyMemIntrinsic>(&inst)) {
    return isOwn(copy->getDest());
  }
  const auto *call = dyn_cast<CallInst>(&inst);
  if (!call) {
    return !inst.mayWriteToMemory() && !inst.mayThrow();
  }
  const CallKind kind = kindOf(*call);
  if (kind != CallKind::None) {
    return kind == CallKind::StaticInit || kind == CallKind::Reduce || isThreadRequest(kind) ||
           kind == CallKind::StaticEnd || isEndReduce(kind) || kind == CallKind::ThreadNumber;
  }
  if (isInitializer(*call)) {
    return all_of(call->args(), [](const Use &use) {
      return !use->getType()->isPointerTy() || isOwn(use) || isa<LoadInst>(use) ||
             isa<Argument>(use);
    });
  }
  return call->isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(call) ||
         call->doesNotAccessMemory() || isa<IntrinsicInst>(call);
}

/// Whether the threads of a team do with `variable`, which is the team's, what they could do with
/// one of their own each.
bool sharesOnlyForReading(const Argument &variable, const ExclusiveBlocks &exclusive) {
  SmallVector<const Value *, 8> worklist{&variable};
  SmallPtrSet<const Value *, 16> seen;
  while (!worklist.empty()) {
    const Value *pointer = worklist.pop_back_val();
    if (!seen.insert(pointer).second) {
      continue;
    }
    for (const User *user : pointer->users()) {
      const auto *inst = cast<Instruction>(user);
      if (isa<GetElementPtrInst, PHINode, SelectInst>(inst)) {
        worklist.push_back(inst);
        continue;
      }
      const auto *call = dyn_cast<CallInst>(inst);
      const auto *transfer = dyn_cast<AnyMemTransferInst>(inst);
      // Clang computes distances inside of array sections.
      const bool isDistance = isa<PtrToIntInst>(inst) && all_of(inst->users(), [](const User *use) {
                                return cast<Instruction>(use)->getOpcode() == Instruction::Sub;
                              });
      const bool isRead = isa<LoadInst, ICmpInst>(inst) || isDistance ||
                          (transfer && transfer->getRawDest() != pointer) ||
                          (call && (call->isLifetimeStartOrEnd() || isInitializer(*call)));
      const auto *store = dyn_cast<StoreInst>(inst);
      const bool isKept = store && store->getValueOperand() == pointer;
      if (!isRead && (isKept || !exclusive.holds(*inst))) {
        return false;
      }
    }
  }
  return true;
}

/// What the answers of a reduction in `inner` write to, by the captures of `fork`.
InnerReduction reductionTarget(Function &inner, const CallInst &fork,
                               const ExclusiveBlocks &exclusive) {
  bool intoPrivate = false;
  bool intoShared = false;
  const auto note = [&](const Value *pointer) {
    SmallVector<const Value *, 4> objects;
    getUnderlyingObjects(pointer, objects);
    for (const Value *object : objects) {
      if (isa<AllocaInst>(object)) {
        continue;
      }
      const auto *argument = dyn_cast<Argument>(object);
      const bool isTeams =
          argument &&
          isOwn(fork.getArgOperand(argument->getArgNo() - kThreadArguments + kFirstCapture));
      (isTeams ? intoPrivate : intoShared) = true;
    }
  };
  for (const Instruction &inst : instructions(inner)) {
    if (!exclusive.isReduction(inst)) {
      continue;
    }
    if (const auto *store = dyn_cast<StoreInst>(&inst)) {
      note(store->getPointerOperand());
    } else if (const auto *call = dyn_cast<CallInst>(&inst);
               call && kindOf(*call) == CallKind::None) {
      for (const Use &operand : call->args()) {
        if (operand->getType()->isPointerTy()) {
          note(operand);
        }
      }
    } // Atomic answers combine into the same variables.
  }
  if (intoPrivate == intoShared) {
    return InnerReduction::Unknown;
  }
  return intoPrivate ? InnerReduction::IntoPrivate : InnerReduction::IntoShared;
}

bool takesCaptures(const Function &inner, const CallInst &fork) {
  const unsigned captures = fork.arg_size() - kFirstCapture;
  return inner.arg_size() == captures + kThreadArguments && all_of(seq(captures), [&](unsigned i) {
           return inner.getArg(i + kThreadArguments)->getType() ==
                  fork.getArgOperand(i + kFirstCapture)->getType();
         });
}

/// Whether `inst` lies between the init and the end of the loop.
bool isInLoop(const Instruction &inst, const CallInst &init, const CallInst &end,
              const DominatorTree &tree) {
  return inst.getParent() != init.getParent() && inst.getParent() != end.getParent() &&
         tree.dominates(init.getParent(), inst.getParent()) &&
         !tree.dominates(end.getParent(), inst.getParent());
}

/// Whether the threads of a region could execute a call that stands in the loop.
bool isLoopCall(const CallInst &call) {
  const CallKind kind = kindOf(call);
  return kind == CallKind::None || kind == CallKind::Fork || isThreadRequest(kind) ||
         kind == CallKind::ThreadNumber;
}

} // namespace

bool asksForTeams(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  return callee && callee->getName().starts_with("omp_");
}

Teams findTeams(Function &teams) {
  Teams found;
  CallInst *end = nullptr;
  CallInst *init = nullptr;
  for (Instruction &inst : instructions(teams)) {
    if (isa<InvokeInst, IndirectBrInst>(inst)) {
      return {};
    }
    auto *call = dyn_cast<CallInst>(&inst);
    if (!call) {
      continue;
    }
    const CallKind kind = kindOf(*call);
    if (kind == CallKind::StaticInit) {
      if (init || !isDistribute(*call) || !isa<AllocaInst>(operandOf(*call, Role::Last))) {
        return {};
      }
      init = call;
    } else if (kind == CallKind::StaticEnd) {
      if (end) {
        return {};
      }
      end = call;
    } else if (kind == CallKind::Fork) {
      const auto *inner = dyn_cast<Function>(operandOf(*call, Role::Outlined)->stripPointerCasts());
      if (!inner || inner->isDeclaration() || !takesCaptures(*inner, *call)) {
        return {};
      }
      found.forks.push_back(call);
    } else if (asksForTeams(*call)) {
      return {};
    }
  }
  if (!init || !end) {
    return {};
  }
  const ExclusiveBlocks exclusive(teams);
  for (Instruction &inst : instructions(teams)) {
    auto *call = dyn_cast<CallInst>(&inst);
    const bool isFine = isInLoop(inst, *init, *end, exclusive.tree())
                            ? !call || isLoopCall(*call)
                            : exclusive.holds(inst) || isRepeatable(inst);
    if (!isFine) {
      return {};
    }
  }
  found.distribute = init;
  return found;
}

bool handsOutIterations(const CallInst &fork, const CallInst &distribute) {
  if (fork.arg_size() < kFirstCapture + 2) {
    return false;
  }
  constexpr Role kBounds[] = {Role::Lower, Role::Upper};
  for (unsigned bound = 0; bound < 2; ++bound) {
    const Value *value = fork.getArgOperand(kFirstCapture + bound);
    if (const auto *extension = dyn_cast<CastInst>(value)) {
      value = extension->getOperand(0);
    }
    const auto *load = dyn_cast<LoadInst>(value);
    if (!load || load->getPointerOperand() != operandOf(distribute, kBounds[bound])) {
      return false;
    }
  }
  return true;
}

InnerReduction checkInner(Function &inner, const CallInst &fork) {
  const ExclusiveBlocks exclusive(inner);
  unsigned reductions = 0;
  unsigned loops = 0;
  for (const Instruction &inst : instructions(inner)) {
    if (isa<IndirectBrInst>(inst)) {
      return InnerReduction::Unknown; // To places in `inner`, not in a copy of it.
    }
    if (const auto *call = dyn_cast<CallInst>(&inst)) {
      const CallKind kind = kindOf(*call);
      if (asksForTeams(*call)) {
        return InnerReduction::Unknown; // There are none in the region.
      }
      reductions += kind == CallKind::Reduce;
      loops += isInit(kind);
    }
  }
  if (loops != 1 || reductions > 1) {
    return InnerReduction::Unknown;
  }
  for (unsigned index = kFirstCapture; index < fork.arg_size(); ++index) {
    const Value *capture = fork.getArgOperand(index);
    const Argument *argument = inner.getArg(index - kFirstCapture + kThreadArguments);
    if (capture->getType()->isPointerTy() && mayBeOwn(capture) &&
        !sharesOnlyForReading(*argument, exclusive)) {
      return InnerReduction::Unknown;
    }
  }
  return reductions == 0 ? InnerReduction::None : reductionTarget(inner, fork, exclusive);
}

bool reducesIntoTeam(Function &inner, const CallInst &fork) {
  return reductionTarget(inner, fork, ExclusiveBlocks(inner)) == InnerReduction::IntoPrivate;
}

CallInst *checkSerial(Function &inner, const CallInst &fork) {
  bool reduces = false;
  CallInst *init = nullptr;
  for (Instruction &inst : instructions(inner)) {
    if (isa<IndirectBrInst>(inst)) {
      return nullptr;
    }
    auto *call = dyn_cast<CallInst>(&inst);
    if (!call) {
      continue;
    }
    const CallKind kind = kindOf(*call);
    if (kind == CallKind::StaticInit) {
      const Schedule schedule = scheduleOf(*call);
      if (init || (schedule != Schedule::Even && schedule != Schedule::Chunked)) {
        return nullptr;
      }
      init = call;
    } else if (kind == CallKind::Reduce) {
      reduces = true;
    } else if (asksForTeams(*call) ||
               (kind != CallKind::None && !isEndReduce(kind) && kind != CallKind::StaticEnd &&
                kind != CallKind::Barrier && kind != CallKind::ThreadNumber)) {
      return nullptr;
    }
  }
  if (reduces && !reducesIntoTeam(inner, fork)) {
    return nullptr; // Another team may combine into the same variable.
  }
  return init;
}

CallInst *initOf(Function &inner) {
  for (Instruction &inst : instructions(inner)) {
    if (isInit(kindOf(inst))) {
      return cast<CallInst>(&inst);
    }
  }
  return nullptr;
}

bool stepsByStride(const CallInst &init) {
  return scheduleOf(init) == Schedule::Chunked &&
         none_of(operandOf(init, Role::Upper)->users(),
                 [](const User *user) { return isa<LoadInst>(user); });
}

Value *lastFlagOf(Function &inner) {
  for (Instruction &inst : instructions(inner)) {
    const CallKind kind = kindOf(inst);
    if (kind == CallKind::StaticInit || kind == CallKind::DispatchNext) {
      return operandOf(cast<CallInst>(inst), Role::Last);
    }
  }
  return nullptr;
}

void eraseLifetimes(Instruction &variable) {
  for (User *user : make_early_inc_range(variable.users())) {
    auto *call = dyn_cast<IntrinsicInst>(user);
    if (call && call->isLifetimeStartOrEnd()) {
      call->eraseFromParent();
    }
  }
}

} // namespace tutti::compiler
