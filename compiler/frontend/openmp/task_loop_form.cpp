// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/openmp/task_loop_form.h"

#include "compiler/frontend/openmp/task_loops.h"
#include "compiler/ir/construct_calls.h"
#include "compiler/ir/library_functions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tutti::compiler::openmp {

namespace {

enum ReductionField : unsigned {
  kShared = 0,
  kSize = 16,
  kInitialise = 24,
  kFinish = 32,
  kCombine = 40,
  kReductionBytes = 56
};

/// Of a task: what libomp takes from the heap, each thread would have on its stack.
constexpr std::uint64_t kMostBytes = 64 << 10;

/// The functions of the module that `function` leads to by calls, with itself.
SmallVector<const Function *, 16> reachedFrom(const Function &function) {
  SmallVector<const Function *, 16> reached{&function};
  SmallPtrSet<const Function *, 16> seen{&function};
  for (unsigned at = 0; at < reached.size(); ++at) {
    for (const Instruction &inst : instructions(*reached[at])) {
      const auto *call = dyn_cast<CallBase>(&inst);
      const Function *callee = call ? call->getCalledFunction() : nullptr;
      if (callee && !callee->isDeclaration() && seen.insert(callee).second) {
        reached.push_back(callee);
      }
    }
  }
  return reached;
}

/// What is stored at that place of what `base` leads to; null if that is not seen, or several.
Value *storedIn(const Value &base, std::uint64_t place) {
  const DataLayout &layout = cast<Instruction>(base).getDataLayout();
  SmallVector<const Value *, 16> pointers{&base};
  Value *found = nullptr;
  for (unsigned at = 0; at < pointers.size(); ++at) {
    for (const User *user : pointers[at]->users()) {
      if (isa<GetElementPtrInst>(user)) {
        pointers.push_back(user);
        continue;
      }
      const auto *store = dyn_cast<StoreInst>(user);
      APInt offset(64, 0);
      if (store && store->getPointerOperand() == pointers[at] &&
          pointers[at]->stripAndAccumulateConstantOffsets(layout, offset, true) == &base &&
          offset == place) {
        if (found) {
          return nullptr;
        }
        found = const_cast<Value *>(store->getValueOperand());
      }
    }
  }
  return found;
}

/// The variable with the addresses of what the tasks share, which is copied to the task.
const AllocaInst *sharedsOf(CallBase &alloc) {
  for (const LoadInst *load : loadsOf(alloc, kTaskShareds)) {
    for (const User *user : load->users()) {
      const auto *copy = dyn_cast<MemCpyInst>(user);
      if (copy && copy->getRawDest() == load) {
        return dyn_cast<AllocaInst>(copy->getRawSource());
      }
    }
  }
  return nullptr;
}

/// What a task does beside its iterations would be each thread's.
std::string checkBody(const Function &body) {
  for (const Function *function : reachedFrom(body)) {
    for (const Instruction &inst : instructions(*function)) {
      const CallKind kind = kindOf(inst);
      const bool isTurn = kind == CallKind::None || kind == CallKind::Critical ||
                          kind == CallKind::Atomic || kind == CallKind::ThreadNumber;
      if (!isTurn && calleeName(inst) != kPrivateCopy) {
        return "its tasks hold other constructs";
      }
    }
  }
  return {};
}

/// Whether the function that makes a task of another one tells it if it has the last iteration, and
/// does nothing else: objects would be copied there.
bool onlyTellsLast(const Function &duplicate) {
  constexpr unsigned kIsLast = 2;
  if (duplicate.isDeclaration() || duplicate.arg_size() <= kIsLast) {
    return false;
  }
  const AllocaInst *isLast = variableOf(*duplicate.getArg(kIsLast));
  return isLast && all_of(instructions(duplicate), [&](const Instruction &inst) {
           const auto *store = dyn_cast<StoreInst>(&inst);
           const auto *told = store ? dyn_cast<LoadInst>(store->getValueOperand()) : nullptr;
           return store ? isa<AllocaInst>(store->getPointerOperand()) ||
                              (told && told->getPointerOperand() == isLast)
                        : !inst.mayWriteToMemory();
         });
}

/// Reads what `__kmpc_taskred_init` is told, as clang writes it in front of the call.
std::string describeReductions(TaskLoop &loop) {
  constexpr const char *kUnusual = "it reduces in an unusual form";
  const auto *count = dyn_cast<ConstantInt>(loop.reductions->getArgOperand(1));
  auto *list = dyn_cast<AllocaInst>(loop.reductions->getArgOperand(2));
  if (!count || !list) {
    return kUnusual;
  }
  const DataLayout &layout = loop.call->getDataLayout();
  loop.reduced.resize(count->getZExtValue());
  SmallVector<Value *, 16> pointers{list};
  for (unsigned at = 0; at < pointers.size(); ++at) {
    for (User *user : pointers[at]->users()) {
      if (isa<GetElementPtrInst>(user)) {
        pointers.push_back(user);
        continue;
      }
      auto *store = dyn_cast<StoreInst>(user);
      if (!store || store->getPointerOperand() != pointers[at]) {
        continue;
      }
      APInt offset(64, 0);
      if (pointers[at]->stripAndAccumulateConstantOffsets(layout, offset, true) != list ||
          offset.getZExtValue() / kReductionBytes >= loop.reduced.size()) {
        return kUnusual;
      }
      Reduced &reduced = loop.reduced[offset.getZExtValue() / kReductionBytes];
      Value *value = store->getValueOperand();
      switch (offset.getZExtValue() % kReductionBytes) {
      case kShared:
        reduced.shared = value;
        break;
      case kSize:
        reduced.bytes = isa<ConstantInt>(value) ? cast<ConstantInt>(value)->getZExtValue() : 0;
        break;
      case kInitialise:
        reduced.initialise = dyn_cast<Function>(value);
        break;
      case kCombine:
        reduced.combine = dyn_cast<Function>(value);
        break;
      case kFinish:
        if (!isa<ConstantPointerNull>(value)) {
          return "it reduces objects with destructors";
        }
        break;
      default: // The original; and flags, which are set for sizes that are not known alone.
        break;
      }
    }
  }
  return all_of(loop.reduced,
                [](const Reduced &each) {
                  return each.shared && each.bytes && each.initialise && each.combine;
                })
             ? ""
             : kUnusual;
}

/// Whether the tasks are waited for where they are made: nothing else is done meanwhile.
bool isWaitedFor(const CallBase &loop) {
  for (const Instruction *next = loop.getNextNode(); next; next = next->getNextNode()) {
    const StringRef name = calleeName(*next);
    if (name == "__kmpc_end_taskgroup" || name == "__kmpc_omp_taskwait") {
      return true;
    }
    const bool isMarker = isa<IntrinsicInst>(next) && isLifetime(*next);
    if (!isMarker && (next->mayHaveSideEffects() || next->isTerminator())) {
      return false;
    }
  }
  return false;
}

/// Whether iterations may wait for what somebody else does meanwhile, as far as is seen.
bool mayWait(const Function &body) {
  const AllocaInst *map = variableOf(*body.getArg(kBodyMap)); // What finds a task's own variables.
  const auto mayWaitAt = [&](const Instruction &inst) {
    const auto *call = dyn_cast<CallBase>(&inst);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    const auto *found = call ? dyn_cast<LoadInst>(call->getCalledOperand()) : nullptr;
    const bool isKnown = (callee && (!callee->isDeclaration() || callee->isIntrinsic())) ||
                         (found && map && found->getPointerOperand() == map) ||
                         calleeName(inst) == kPrivateCopy;
    return inst.isAtomic() || inst.isVolatile() || (call && !isKnown && !argumentUse(*call));
  };
  return any_of(reachedFrom(body), [&](const Function *function) {
    return any_of(instructions(*function), mayWaitAt);
  });
}

/// Whether nothing is stored through the pointer, and nobody else gets it.
bool isOnlyRead(const Value &pointer) {
  return all_of(pointer.users(), [&](const User *user) {
    const auto *copy = dyn_cast<MemTransferInst>(user);
    return isa<LoadInst, ICmpInst>(user) || isLifetime(*user) ||
           (copy && copy->getRawDest() != &pointer) ||
           (isa<GetElementPtrInst>(user) && isOnlyRead(*user));
  });
}

/// Whether the variable at that place of the task gets a value where the task is made.
bool isInitialised(Value &alloc, std::uint64_t place) {
  const DataLayout &layout = cast<Instruction>(alloc).getDataLayout();
  SmallVector<Value *, 16> pointers{&alloc};
  for (unsigned at = 0; at < pointers.size(); ++at) {
    APInt offset(64, 0);
    const bool isThere =
        at > 0 && pointers[at]->stripAndAccumulateConstantOffsets(layout, offset, true) == &alloc &&
        offset == place;
    for (User *user : pointers[at]->users()) {
      if (isa<GetElementPtrInst>(user)) {
        pointers.push_back(user);
      } else if (isThere && !isLifetime(*user)) {
        return true;
      }
    }
  }
  return false;
}

/// Where in the task the variable is whose address `map` stores through its argument.
std::optional<std::uint64_t> placeOf(const TaskLoop &loop, const Function &map, unsigned argument) {
  const AllocaInst *slot = variableOf(*map.getArg(argument));
  for (const Instruction &inst : instructions(map)) {
    const auto *store = dyn_cast<StoreInst>(&inst);
    const auto *target = store ? dyn_cast<LoadInst>(store->getPointerOperand()) : nullptr;
    APInt offset(64, 0);
    if (slot && target && target->getPointerOperand() == slot &&
        isa<LoadInst>(store->getValueOperand()->stripAndAccumulateConstantOffsets(
            map.getDataLayout(), offset, true))) {
      return *loop.privates + offset.getZExtValue();
    }
  }
  return {};
}

/// Whether tasks may leave something in their own variables from one iteration to the next, so that
/// it can be seen which iterations they have.
bool keepsValues(const TaskLoop &loop) {
  const Function &body = *loop.bodyCall->getCalledFunction();
  const AllocaInst *mapped = variableOf(*body.getArg(kBodyMap));
  const auto *map = dyn_cast<Function>(loop.bodyCall->getArgOperand(kBodyMap));
  for (const Instruction &inst : instructions(body)) {
    const auto *call = dyn_cast<CallBase>(&inst);
    const auto *callee = call ? dyn_cast<LoadInst>(call->getCalledOperand()) : nullptr;
    if (!callee || !mapped || callee->getPointerOperand() != mapped) {
      continue;
    }
    for (unsigned index = 1; index < call->arg_size(); ++index) {
      const bool isChanged = any_of(call->getArgOperand(index)->users(), [](const User *user) {
        return isa<LoadInst>(user) && !isOnlyRead(*user);
      });
      const auto place = map ? placeOf(loop, *map, index) : std::nullopt;
      if (isChanged && (!place || isInitialised(*loop.alloc, *place))) {
        return true;
      }
    }
  }
  return false;
}

} // namespace

StringRef calleeName(const Value &value) {
  const auto *call = dyn_cast<CallBase>(&value);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee ? callee->getName() : StringRef();
}

AllocaInst *variableOf(const Argument &argument) {
  const auto *store = argument.hasOneUse() ? dyn_cast<StoreInst>(argument.user_back()) : nullptr;
  return store && store->getValueOperand() == &argument
             ? const_cast<AllocaInst *>(dyn_cast<AllocaInst>(store->getPointerOperand()))
             : nullptr;
}

SmallVector<LoadInst *, 2> loadsOf(Value &base, std::uint64_t place) {
  const DataLayout &layout = cast<Instruction>(base).getDataLayout();
  SmallVector<Value *, 16> pointers{&base};
  SmallVector<LoadInst *, 2> found;
  for (unsigned at = 0; at < pointers.size(); ++at) {
    for (User *user : pointers[at]->users()) {
      auto *load = dyn_cast<LoadInst>(user);
      APInt offset(64, 0);
      if (isa<GetElementPtrInst>(user)) {
        pointers.push_back(user);
      } else if (load &&
                 pointers[at]->stripAndAccumulateConstantOffsets(layout, offset, true) == &base &&
                 offset == place) {
        found.push_back(load);
      }
    }
  }
  return found;
}

bool isLifetime(const User &user) {
  const auto *marker = dyn_cast<IntrinsicInst>(&user);
  return marker && marker->isLifetimeStartOrEnd();
}

std::string describeTaskLoop(TaskLoop &loop) {
  constexpr std::uint64_t kTied = 1;
  constexpr std::uint64_t kPriority = 32;
  constexpr const char *kUnusual = "one of its loops of tasks has an unusual form";
  if (calleeName(*loop.call) != kTaskloop) {
    return kUnusual;
  }
  loop.alloc = dyn_cast<CallBase>(loop.call->getArgOperand(kTask));
  if (!loop.alloc || calleeName(*loop.alloc) != kAlloc) {
    return kUnusual;
  }
  const auto *flags = dyn_cast<ConstantInt>(loop.alloc->getArgOperand(kFlags));
  if (!flags || (flags->getZExtValue() & ~(kTied | kPriority)) != 0 ||
      !isa<ConstantInt>(loop.alloc->getArgOperand(kBytes)) ||
      !isa<ConstantInt>(loop.alloc->getArgOperand(kShareds))) {
    return "its tasks may be final, or have objects of their own";
  }
  loop.bytes = cast<ConstantInt>(loop.alloc->getArgOperand(kBytes));
  if (loop.bytes->getZExtValue() > kMostBytes) {
    return "its tasks have large variables of their own";
  }
  if (Value *duplicate = loop.call->getArgOperand(kDuplicate);
      !isa<ConstantPointerNull>(duplicate) &&
      !(isa<Function>(duplicate) && onlyTellsLast(*cast<Function>(duplicate)))) {
    return "its tasks have objects of their own";
  }
  loop.entry = dyn_cast<Function>(loop.alloc->getArgOperand(kEntry));
  if (!loop.entry || loop.entry->isDeclaration()) {
    return kUnusual;
  }
  for (Instruction &inst : instructions(*loop.entry)) {
    auto *call = dyn_cast<CallInst>(&inst);
    Function *body = call ? call->getCalledFunction() : nullptr;
    if (body && !body->isDeclaration()) {
      loop.bodyCall = !loop.bodyCall && body->arg_size() == kBodyArguments ? call : nullptr;
    }
  }
  if (!loop.bodyCall) {
    return kUnusual;
  }
  if (!isWaitedFor(*loop.call) && mayWait(*loop.bodyCall->getCalledFunction())) {
    return "its tasks are not waited for where they are made (nogroup), and may wait themselves";
  }
  const auto *lower = dyn_cast_or_null<ConstantInt>(storedIn(*loop.alloc, kTaskLower));
  const auto *stride = dyn_cast_or_null<ConstantInt>(storedIn(*loop.alloc, kTaskStride));
  if (!lower || !lower->isZero() || !stride || !stride->isOne()) {
    return kUnusual;
  }
  const Value *privates = loop.bodyCall->getArgOperand(kBodyPrivates);
  if (!isa<ConstantPointerNull>(privates)) {
    APInt offset(64, 0);
    const auto *task = dyn_cast<LoadInst>(
        privates->stripAndAccumulateConstantOffsets(loop.call->getDataLayout(), offset, true));
    if (!task || task->getPointerOperand() != variableOf(*loop.entry->getArg(1))) {
      return kUnusual;
    }
    loop.privates = offset.getZExtValue();
  }
  const auto *schedule = cast<ConstantInt>(loop.call->getArgOperand(kSchedule));
  if (!schedule->isZero() && keepsValues(loop)) {
    return "its tasks change their own variables, and it says how large they are";
  }
  if (Value *lists = storedIn(*loop.alloc, kTaskLists); lists && !isa<Constant>(lists)) {
    loop.reductions = dyn_cast<CallBase>(lists);
    if (calleeName(*lists) != kReduce) {
      return kUnusual;
    }
    if (std::string reason = describeReductions(loop); !reason.empty()) {
      return reason;
    }
  }
  return checkBody(*loop.bodyCall->getCalledFunction());
}

bool asksInTurn(const TaskLoop &loop, Function &body, SmallVectorImpl<CallBase *> &asked) {
  for (Instruction &inst : instructions(body)) {
    if (calleeName(inst) == kPrivateCopy) {
      asked.push_back(cast<CallBase>(&inst));
    }
  }
  if (asked.size() != loop.reduced.size()) {
    return false;
  }
  const DataLayout &layout = body.getDataLayout();
  const AllocaInst *shareds = variableOf(*body.getArg(kBodyShareds));
  for (unsigned index = 0; index < asked.size(); ++index) {
    const auto *load = dyn_cast<LoadInst>(asked[index]->getArgOperand(2));
    APInt offset(64, 0);
    const auto *base =
        load ? dyn_cast<LoadInst>(load->getPointerOperand()->stripAndAccumulateConstantOffsets(
                   layout, offset, true))
             : nullptr;
    const AllocaInst *filled = sharedsOf(*loop.alloc);
    if (!base || !shareds || base->getPointerOperand() != shareds || !filled ||
        storedIn(*filled, offset.getZExtValue()) != loop.reduced[index].shared) {
      return false;
    }
  }
  return true;
}

bool dividesLoops(const Function &function) {
  return any_of(reachedFrom(function), [](const Function *reached) {
    return any_of(instructions(*reached),
                  [](const Instruction &inst) { return calleeName(inst).starts_with(kTaskloop); });
  });
}

} // namespace tutti::compiler::openmp
