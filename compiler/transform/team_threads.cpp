// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/team_threads.h"

#include "compiler/analysis/thread_stretches.h"
#include "compiler/analysis/worksharing.h"
#include "compiler/ir/forks.h"
#include "compiler/transform/number_loop.h"
#include "compiler/transform/serial_forks.h"
#include "compiler/transform/thread_loops.h"

#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

Function *placeholder(Module &module, StringRef name) {
  Type *number = Type::getInt32Ty(module.getContext());
  auto *function = cast<Function>(module.getOrInsertFunction(name, number).getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setSpeculatable();
  return function;
}

/// Whether `inst` reads what decides whether a loop around it goes on, unless only its own success
/// does: a thread may wait there for what another one writes.
bool mayWait(const Instruction &inst, const LoopInfo &loops) {
  SmallVector<const Value *, 8> work{&inst};
  SmallPtrSet<const Value *, 16> seen;
  while (!work.empty()) {
    const Value *value = work.pop_back_val();
    for (const User *user : value->users()) {
      const auto *next = dyn_cast<Instruction>(user);
      if (!next || !seen.insert(next).second) {
        continue;
      }
      const auto *success = dyn_cast<ExtractValueInst>(next);
      if (success && value == &inst && success->getIndices().front() == 1) {
        continue; // Nobody comes between where one thread acts for all.
      }
      if (!next->isTerminator()) {
        work.push_back(next);
        continue;
      }
      for (const Loop *loop = loops.getLoopFor(inst.getParent()); loop;
           loop = loop->getParentLoop()) {
        if (loop->isLoopExiting(next->getParent())) {
          return true;
        }
      }
    }
  }
  return false;
}

/// Whether threads of `construct` may wait for each other by updates that others repeat until they
/// find what they want. Counting up comes to an end by itself.
bool waitsByUpdates(Function &construct) {
  const DominatorTree dominators(construct);
  const LoopInfo loops(dominators);
  return any_of(instructions(construct), [&](const Instruction &inst) {
    const auto *update = dyn_cast<AtomicRMWInst>(&inst);
    const auto *more = update ? dyn_cast<ConstantInt>(update->getValOperand()) : nullptr;
    const bool counts = update && more && !more->isZero() &&
                        (update->getOperation() == AtomicRMWInst::Add ||
                         update->getOperation() == AtomicRMWInst::Sub);
    return (isa<AtomicCmpXchgInst>(inst) || (update && !counts)) && mayWait(inst, loops);
  });
}

Value *addressOf(Instruction &access) {
  if (auto *update = dyn_cast<AtomicRMWInst>(&access)) {
    return update->getPointerOperand();
  }
  auto *exchange = dyn_cast<AtomicCmpXchgInst>(&access);
  return exchange ? exchange->getPointerOperand() : getLoadStorePointerOperand(&access);
}

/// One thread alone gets at what `variable` of a team leads to: loads and stores are not atomic or
/// volatile any more, unless threads may wait for each other there.
void makePlain(Function &construct, const Argument &variable) {
  SmallVector<Instruction *, 8> accesses;
  for (Instruction &inst : instructions(construct)) {
    const bool isAccess = isa<LoadInst, StoreInst, AtomicRMWInst, AtomicCmpXchgInst>(inst);
    if (isAccess && (inst.isAtomic() || inst.isVolatile()) &&
        getUnderlyingObject(addressOf(inst), 0) == &variable) {
      accesses.push_back(&inst);
    }
  }
  const DominatorTree dominators(construct);
  const LoopInfo loops(dominators);
  if (any_of(accesses, [&](const Instruction *inst) { return mayWait(*inst, loops); })) {
    return;
  }
  for (Instruction *inst : accesses) {
    if (auto *load = dyn_cast<LoadInst>(inst)) {
      load->setAtomic(AtomicOrdering::NotAtomic);
      load->setVolatile(false);
    } else if (auto *store = dyn_cast<StoreInst>(inst)) {
      store->setAtomic(AtomicOrdering::NotAtomic);
      store->setVolatile(false);
    }
  }
}

/// The same of updates of variables in `team`. Order: after each thread does its own.
void makeUpdatesPlain(Function &team) {
  for (Instruction &inst : make_early_inc_range(instructions(team))) {
    auto *update = dyn_cast<AtomicRMWInst>(&inst);
    auto *exchange = dyn_cast<AtomicCmpXchgInst>(&inst);
    if ((update || exchange) && isa<AllocaInst>(getUnderlyingObject(addressOf(inst), 0))) {
      update ? lowerAtomicRMWInst(update) : lowerAtomicCmpXchgInst(exchange);
    }
  }
}

/// The parallel constructs of a team, executed by one thread.
class TeamThreads {
public:
  TeamThreads(Function &team, Value *limit, FunctionAnalysisManager &functions)
      : team_(team), limit_(limit), functions_(functions) {}

  std::string execute();

private:
  std::string executeFork(CallInst &inner);
  void separateVariables();
  Value *threadsOf(CallInst &inner);
  Value *memoryFor(CallInst &inner, Value &threads, std::uint64_t bytesKept);

  Function &team_;
  Value *limit_;
  FunctionAnalysisManager &functions_;
  SmallVector<CallInst *, 4> inner_;
  SmallVector<Function *, 4> outlined_; ///< Of the constructs, for this team alone.
};

/// What a team's parallel constructs touch of its own variables nothing else leads to.
void TeamThreads::separateVariables() {
  SmallDenseMap<const Value *, SmallVector<Argument *, 2>, 8> passed;
  for (auto [number, inner] : enumerate(inner_)) {
    Function *own = outlined_[number];
    for (unsigned index = kFirstCapture; index < inner->arg_size(); ++index) {
      passed[inner->getArgOperand(index)].push_back(
          own->getArg(index - kFirstCapture + kThreadArguments));
    }
  }
  const auto isSafe = [](const Use &use) {
    const auto *user = cast<Instruction>(use.getUser());
    const auto *store = dyn_cast<StoreInst>(user);
    const auto *intrinsic = dyn_cast<IntrinsicInst>(user);
    return isa<LoadInst>(user) || (store && store->getPointerOperand() == use.get()) ||
           (intrinsic && intrinsic->isLifetimeStartOrEnd()) || isa<AnyMemIntrinsic>(user) ||
           kindOf(*user) == CallKind::Fork;
  };
  for (auto &[value, arguments] : passed) {
    const auto *variable = dyn_cast<AllocaInst>(value);
    if (!variable || any_of(variable->uses(), [&](const Use &use) { return !isSafe(use); }) ||
        any_of(arguments, [](const Argument *argument) {
          return PointerMayBeCaptured(argument, /*ReturnCaptures=*/true, /*StoreCaptures=*/true);
        })) {
      continue;
    }
    for (Argument *argument : arguments) {
      const auto same = count_if(arguments, [&](const Argument *other) {
        return other->getParent() == argument->getParent();
      });
      if (same == 1) {
        argument->addAttr(Attribute::NoAlias);
        makePlain(*argument->getParent(), *argument);
      }
    }
  }
}

/// How many threads `inner` gets, an i64: as many as it asks for, up to the limit of the teams. One
/// that nothing is said of has one, as loops over numbers lose nothing by that.
Value *TeamThreads::threadsOf(CallInst &inner) {
  IRBuilder<> build(&inner);
  const CallInst *asks = threadRequests(inner).threads;
  Value *none = build.getInt32(0);
  Value *asked = asks ? operandOf(*asks, Role::Number) : none;
  Value *threads = asked;
  const auto isOpen = [&](Value *number) { return build.CreateICmpSLE(number, none); };
  if (limit_) {
    Value *fewer = build.CreateSelect(build.CreateICmpSLT(asked, limit_), asked, limit_);
    threads =
        build.CreateSelect(isOpen(asked), limit_, build.CreateSelect(isOpen(limit_), asked, fewer));
  }
  threads = build.CreateSelect(isOpen(threads), build.getInt32(1), threads);
  return build.CreateZExt(threads, build.getInt64Ty(), "threads");
}

/// Memory for what is kept of each thread.
Value *TeamThreads::memoryFor(CallInst &inner, Value &threads, std::uint64_t bytesKept) {
  constexpr std::uint64_t kMostBytes = 1 << 18;
  IRBuilder<> build(&inner);
  if (bytesKept == 0) {
    return ConstantPointerNull::get(build.getPtrTy());
  }
  const auto *known = dyn_cast<ConstantInt>(&threads);
  if (known && known->getZExtValue() <= kMostBytes / bytesKept) {
    IRBuilder<> entry(&team_.getEntryBlock(), team_.getEntryBlock().begin());
    auto *variable = entry.CreateAlloca(
        ArrayType::get(entry.getInt8Ty(), known->getZExtValue() * bytesKept), nullptr, "kept");
    variable->setAlignment(Align(16));
    return variable;
  }
  Module &module = *team_.getParent();
  Value *memory =
      build.CreateCall(module.getOrInsertFunction("malloc", build.getPtrTy(), build.getInt64Ty()),
                       build.CreateMul(&threads, build.getInt64(bytesKept)));
  build.SetInsertPoint(inner.getNextNode());
  build.CreateCall(module.getOrInsertFunction("free", build.getVoidTy(), build.getPtrTy()), memory);
  return memory;
}

std::string TeamThreads::executeFork(CallInst &inner) {
  Function &outlined = *outlinedOf(inner);
  if (!asksForThreads(outlined) && serialiseFork(inner, functions_)) {
    return {};
  }
  if (waitsByUpdates(outlined)) {
    return "its threads may wait for each other's variables";
  }
  Value *threads = threadsOf(inner);
  const ThreadsInTurn turns = takeTurns(inner, functions_);
  if (!turns.function) {
    return outlined.getFnAttribute(kNotByNumbers).getValueAsString().str();
  }
  Value *memory = memoryFor(inner, *threads, turns.bytesKept);
  return inlineFork(inner, *turns.function, {threads, memory})
             ? ""
             : "one of its constructs has an unusual form";
}

std::string TeamThreads::execute() {
  for (Instruction &inst : instructions(team_)) {
    if (kindOf(inst) == CallKind::Fork) {
      inner_.push_back(cast<CallInst>(&inst));
    }
  }
  if (any_of(inner_, [](const CallInst *inner) { return !outlinedOf(*inner); })) {
    return "one of its constructs has an unusual form";
  }
  for (CallInst *inner : inner_) {
    Function *outlined = outlinedOf(*inner);
    Function *own = promotedCopy(*outlined, outlined->getName() + ".of_team", functions_);
    inner->setArgOperand(operandNumber(*inner, Role::Outlined), own);
    dropLandings(*own);
    nameTeams(*own);
    outlined_.push_back(own);
  }
  separateVariables();
  std::string reason;
  for (CallInst *inner : inner_) {
    reason = reason.empty() ? executeFork(*inner) : reason;
  }
  for (Function *own : outlined_) {
    if (!reason.empty()) { // Forks that are left refer to them.
      own->replaceAllUsesWith(PoisonValue::get(own->getType()));
    }
    functions_.clear(*own, own->getName());
    own->eraseFromParent();
  }
  if (reason.empty()) {
    eraseCalls(team_, isThreadRequest);
    makeUpdatesPlain(team_);
  }
  return reason;
}

} // namespace

bool isCallOf(const CallInst &call, StringRef name) {
  const Function *callee = call.getCalledFunction();
  return callee && callee->isDeclaration() && callee->getName() == name;
}

/// Lets what `function` asks of teams be asked of placeholders, whose answers never change.
void nameTeams(Function &function) {
  Module &module = *function.getParent();
  for (Instruction &inst : instructions(function)) {
    auto *call = dyn_cast<CallInst>(&inst);
    if (call && isCallOf(*call, "omp_get_team_num")) {
      call->setCalledFunction(placeholder(module, kTeamNumber));
    } else if (call && isCallOf(*call, "omp_get_num_teams")) {
      call->setCalledFunction(placeholder(module, kTeamCount));
    }
  }
}

Value *threadLimitOf(CallInst *request) {
  Value *limit = request ? operandOf(*request, Role::Limit) : nullptr;
  const auto *known = dyn_cast_or_null<ConstantInt>(limit);
  return known && known->getSExtValue() <= 0 ? nullptr : limit;
}

std::string executeTeamForks(Function &team, Value *limit, FunctionAnalysisManager &functions) {
  return TeamThreads(team, limit, functions).execute();
}

} // namespace tutti::compiler
