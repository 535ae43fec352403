// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/conduct_constructs.h"

#include "compiler/analysis/conducted_code.h"
#include "compiler/analysis/construct_code.h"
#include "compiler/analysis/left_values.h"
#include "compiler/analysis/loop_sequence.h"
#include "compiler/analysis/worksharing.h"
#include "compiler/ir/forks.h"
#include "compiler/ir/task_loops.h"
#include "compiler/transform/combine_left.h"
#include "compiler/transform/known_steps.h"
#include "compiler/transform/own_conductors.h"
#include "compiler/transform/step_function.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Tells the runtime of calls that one thread of the team makes for all.
void announceCalls(Function &conductor, const TargetLibraryInfo &library) {
  SmallVector<CallBase *, 8> calls;
  for (Instruction &inst : instructions(conductor)) {
    auto *call = dyn_cast<CallBase>(&inst);
    if (call && isCallOfStranger(*call, library)) {
      calls.push_back(call);
    }
  }
  Module &module = *conductor.getParent();
  Type *nothing = Type::getVoidTy(module.getContext());
  for (CallBase *call : calls) {
    IRBuilder<> build(call);
    build.CreateCall(module.getOrInsertFunction("tutti_begin_call_of_one", nothing));
    auto *invoke = dyn_cast<InvokeInst>(call);
    BasicBlock *after = nullptr;
    if (invoke) { // Others may come to where it goes on, too.
      after = SplitEdge(invoke->getParent(), invoke->getNormalDest());
    }
    build.SetInsertPoint(after ? &*after->getFirstInsertionPt() : call->getNextNode());
    build.SetCurrentDebugLocation(call->getDebugLoc());
    build.CreateCall(module.getOrInsertFunction("tutti_end_call_of_one", nothing));
  }
}

bool callsStranger(const Function &function, const TargetLibraryInfo &library) {
  return any_of(instructions(function), [&](const Instruction &inst) {
    const auto *call = dyn_cast<CallBase>(&inst);
    return call && isCallOfStranger(*call, library);
  });
}

bool holdsInit(const Function &function) {
  return any_of(instructions(function),
                [](const Instruction &inst) { return isInit(kindOf(inst)); });
}

/// Whether a function that `function` calls, from whatever depth, holds a worksharing loop.
bool callsInit(Function &function) {
  SmallSetVector<Function *, 16> work;
  work.insert(&function);
  for (unsigned at = 0; at < work.size(); ++at) {
    if (at > 0 && holdsInit(*work[at])) {
      return true;
    }
    for (Instruction &inst : instructions(*work[at])) {
      const auto *call = dyn_cast<CallBase>(&inst);
      Function *callee = call ? call->getCalledFunction() : nullptr;
      if (callee && !callee->isDeclaration()) {
        work.insert(callee);
      }
    }
  }
  return false;
}

bool holdsSingle(const Function &function) {
  return any_of(instructions(function),
                [](const Instruction &inst) { return kindOf(inst) == CallKind::Single; });
}

/// Whether threads take turns, in sections or atomically.
bool holdsTurns(const Function &function) {
  return any_of(instructions(function), [](const Instruction &inst) {
    return kindOf(inst) == CallKind::Critical || isa<AtomicRMWInst>(inst);
  });
}

/// Where threads combine atomically, one way to do a reduction (`dropAtomicReductions`).
SmallVector<BasicBlockEdge, 2> atomicReductions(Function &function) {
  SmallVector<BasicBlockEdge, 2> ways;
  for (Instruction &inst : instructions(function)) {
    auto *choice = dyn_cast<SwitchInst>(&inst);
    const auto *reduce = choice ? dyn_cast<Instruction>(choice->getCondition()) : nullptr;
    if (!reduce || kindOf(*reduce) != CallKind::Reduce) {
      continue;
    }
    for (const auto &answer : choice->cases()) {
      if (answer.getCaseValue()->equalsInt(2)) {
        ways.emplace_back(choice->getParent(), answer.getCaseSuccessor());
      }
    }
  }
  return ways;
}

/// Whether threads take turns behind a loop, and not for a reduction.
bool holdsTurnsBehind(Function &function) {
  const DominatorTree dominators(function);
  const auto reductions = atomicReductions(function);
  SmallVector<const Instruction *, 4> turns;
  for (const Instruction &inst : instructions(function)) {
    const bool isTurn = kindOf(inst) == CallKind::Critical || isa<AtomicRMWInst>(inst);
    if (isTurn && none_of(reductions, [&](const BasicBlockEdge &way) {
          return dominators.dominates(way, inst.getParent());
        })) {
      turns.push_back(&inst);
    }
  }
  return !turns.empty() && any_of(sequencedLoops(function), [&](const SequencedLoop &loop) {
    return any_of(loop.ends, [&](const CallInst *end) {
      return any_of(turns, [&](const Instruction *turn) {
        return isPotentiallyReachable(end, turn, nullptr, &dominators);
      });
    });
  });
}

/// Whether both constructs ask for a number of threads or neither, and for the same binding.
bool asksAlike(CallInst &one, CallInst &other) {
  const ThreadRequests first = threadRequests(one);
  const ThreadRequests second = threadRequests(other);
  const auto bindingOf = [](const ThreadRequests &requests) {
    return requests.binding ? operandOf(*requests.binding, Role::Number) : nullptr;
  };
  return !first.threads == !second.threads && bindingOf(first) == bindingOf(second);
}

/// What the first of `forks` asks for; those of a function that constructs call are none.
ThreadRequests requestsOf(ArrayRef<CallInst *> forks) {
  return forks.empty() ? ThreadRequests() : threadRequests(*forks.front());
}

class Conductor {
public:
  Conductor(Function &outlined, FunctionAnalysisManager &functions, KnownSteps &steps,
            const OwnConductors &others)
      : outlined_(outlined), functions_(functions), steps_(steps), others_(others) {}

  /// Whether there is something to be conducted, as far as is seen without a copy.
  bool isCandidate() const;

  /// The conductor; null if it stays whole, and says why unless others do.
  Function *create(ArrayRef<CallInst *> forks);

  /// That of a function that constructs call, which has the arguments of an outlined one in front.
  Function *createFor(const Function &called);

private:
  std::string prepare(Function &copy, ArrayRef<CallInst *> forks);
  Function *tryWith(ArrayRef<CallInst *> forks, bool callsOthers);
  bool isWorthIt(Function &copy);

  Function &outlined_;
  FunctionAnalysisManager &functions_;
  KnownSteps &steps_;
  const OwnConductors &others_;
  const Function *called_ = nullptr;
  std::vector<ConductedLoop> loops_;
};

bool Conductor::isCandidate() const {
  if (outlined_.hasFnAttribute(kWholeConstruct)) {
    return true;
  }
  // Exactly: a guess costs a copy of the function.
  ConstructCode code(outlined_, functions_);
  const bool isRepeated =
      any_of(seq(code.loops().size()), [&](unsigned loop) { return code.isRepeated(loop); });
  return isRepeated ||
         (holdsInit(outlined_) && (holdsSingle(outlined_) || holdsTurnsBehind(outlined_))) ||
         callsInit(outlined_);
}

/// Why `copy` cannot be conducted.
std::string Conductor::prepare(Function &copy, ArrayRef<CallInst *> forks) {
  if (any_of(forks, [&](CallInst *fork) { return !asksAlike(*fork, *forks.front()); })) {
    return "it asks for threads in some places only";
  }
  if (std::string reason = OwnConductors::whyNotCalled(copy); !reason.empty()) {
    return reason;
  }
  const SmallVector<SequencedLoop, 4> all = sequencedLoops(copy);
  const bool isRegular = all_of(all, [](const SequencedLoop &loop) {
    return !loop.ends.empty() && loop.isDispatch() != loop.next.empty() && loop.reduce.size() <= 1;
  });
  if (!isRegular) {
    return "one of its loops has an unusual form";
  }
  for (const SequencedLoop &calls : all) {
    if (!isolateLoop(copy, calls, loops_.emplace_back())) {
      return "one of its loops has an unusual form";
    }
  }
  for (unsigned index = 0; index < loops_.size(); ++index) {
    for (const ConductedLoop &other : loops_) {
      if (&other != &loops_[index] && other.contains(*loops_[index].calls.init)) {
        return "one of its loops has an unusual form";
      }
    }
  }
  // Without turns it would have to stay whole for what its loops leave.
  const bool takesTurns = holdsTurns(copy); // Which the conductor executes as they are.
  for (ConductedLoop &loop : loops_) {
    if (takesTurns && loop.calls.reduce.empty()) {
      if (const auto left = findLeftValues(copy, loop)) {
        combineLeft(copy, loop, *left);
      }
    }
  }
  functions_.clear(copy, copy.getName());
  const auto &library = functions_.getResult<TargetLibraryAnalysis>(copy);
  std::string reason = whyNotConducted(copy, loops_, functions_);
  if (reason.empty() && requestsOf(forks).threads && callsStranger(copy, library)) {
    reason = "it asks for a number of threads, and a function that it calls may want to know";
  }
  return reason;
}

/// Whether a construct, or a function that it calls, is more than one loop as `copy` shows it.
bool Conductor::isWorthIt(Function &copy) {
  const std::size_t loops = sequencedLoops(copy).size();
  const std::size_t calls = count_if(instructions(copy), isCallOfConductor);
  return called_ || loops + calls > 1 ||
         (loops == 1 && (holdsSingle(copy) || holdsTurnsBehind(copy) ||
                         ConstructCode(copy, functions_).isRepeated(0)));
}

/// If it `callsOthers`, conductors in the place of functions, else such are in their place.
Function *Conductor::tryWith(ArrayRef<CallInst *> forks, bool callsOthers) {
  std::optional<OwnConductors::Kept> kept;
  if (callsOthers) {
    kept.emplace(others_);
  }
  loops_.clear();
  const StringRef name = (called_ ? *called_ : outlined_).getName();
  Function *copy = promotedCopy(outlined_, name + ".conducted", functions_);
  // What threads take turns for, too, may be what loops leave, in a simple form.
  bringIntoOneForm(*copy, functions_);
  const bool isNeeded = isWorthIt(*copy);
  const std::string reason = isNeeded ? prepare(*copy, forks) : "";
  functions_.clear(*copy, copy->getName());
  if (!isNeeded || !reason.empty()) {
    if (isNeeded && !callsOthers) {
      outlined_.addFnAttr(kWholeConstruct, reason);
    }
    copy->eraseFromParent();
    return nullptr;
  }
  const ThreadRequests requests = requestsOf(forks);
  for (unsigned index = 0; index < loops_.size(); ++index) {
    const DebugLoc place = loops_[index].calls.init->getDebugLoc();
    Function *step = forkStep(*copy, loops_[index], name + ".step" + Twine(index), requests);
    if (!requests.threads && !requests.binding) {
      steps_.add(*step, place);
    }
  }
  removeUnreachableBlocks(*copy);
  conductAlone(*copy);
  announceCalls(*copy, functions_.getResult<TargetLibraryAnalysis>(*copy));
  others_.callFrom(*copy);
  copy->removeFnAttr(kWholeConstruct);
  return copy;
}

Function *Conductor::create(ArrayRef<CallInst *> forks) {
  // Threads that a construct asks for are those of its own forks.
  const ThreadRequests requests = requestsOf(forks);
  Function *conductor = !requests.threads && !requests.binding && others_.isCalledFrom(outlined_)
                            ? tryWith(forks, /*callsOthers=*/true)
                            : nullptr;
  return conductor ? conductor : tryWith(forks, /*callsOthers=*/false);
}

Function *Conductor::createFor(const Function &called) {
  called_ = &called;
  return create({});
}

/// Gives functions conductors that constructs call in several places.
void addConductors(ArrayRef<Function *> constructs, OwnConductors &conductors,
                   FunctionAnalysisManager &functions, KnownSteps &steps) {
  for (Function *called : OwnConductors::candidates(constructs)) {
    Function *asThread = withThreadArguments(*called);
    if (Function *own = Conductor(*asThread, functions, steps, conductors).createFor(*called)) {
      conductors.add(*called, *own);
    }
    functions.clear(*asThread, asThread->getName());
    asThread->eraseFromParent();
  }
}

/// Functions that others may call, and what they lead to: what only conducted constructs called is
/// not called any more.
SmallSetVector<Function *, 32> stillNeeded(Module &module) {
  SmallSetVector<Function *, 32> needed;
  SmallVector<Value *, 32> work;
  DenseSet<const Value *> seen;
  for (GlobalValue &global : module.global_values()) {
    if (!isa<Function>(global) || !global.hasLocalLinkage()) {
      work.push_back(&global);
    }
  }
  while (!work.empty()) {
    Value *value = work.pop_back_val();
    if (!isa<Constant>(value) || !seen.insert(value).second) {
      continue;
    }
    append_range(work, cast<Constant>(value)->operand_values());
    auto *function = dyn_cast<Function>(value);
    if (function && !function->isDeclaration()) {
      needed.insert(function);
      for (Instruction &inst : instructions(*function)) {
        append_range(work, inst.operand_values());
      }
    }
  }
  return needed;
}

/// Calls `conductor` where `fork` starts threads.
void conduct(CallInst &fork, Function &conductor) {
  const ThreadRequests requests = threadRequests(fork);
  SmallVector<Value *, 16> operands(
      kThreadArguments, ConstantPointerNull::get(PointerType::getUnqual(fork.getContext())));
  operands.append(fork.arg_begin() + kFirstCapture, fork.arg_end());
  IRBuilder<> build(&fork);
  if (requests.threads) {
    IRBuilder<> entry(&*fork.getFunction()->getEntryBlock().getFirstInsertionPt());
    operands[kNumberArgument] = entry.CreateAlloca(entry.getInt32Ty(), nullptr, "tutti.threads");
    build.CreateStore(operandOf(*requests.threads, Role::Number), operands[kNumberArgument]);
  }
  build.CreateCall(&conductor, operands);
  fork.eraseFromParent();
}

/// Requests, and how many forks they hold for: those on both sides of a branch may share one.
using Requests = SmallDenseMap<CallInst *, unsigned, 8>;

/// Takes away what `fork`, which is conducted, asks for: it would hold for the fork that comes
/// next.
void dropRequests(const ThreadRequests &requests, Requests &holdFor) {
  for (CallInst *request : {requests.threads, requests.binding}) {
    if (request && --holdFor[request] == 0) {
      request->eraseFromParent();
    }
  }
}

/// What is to be conducted in the place of `outlined`; null if it is `outlined`.
Function *conductedForm(const Function &outlined) {
  const Attribute form = outlined.getFnAttribute(kConductedForm);
  return form.isValid() ? outlined.getParent()->getFunction(form.getValueAsString()) : nullptr;
}

/// Keeps nothing of `form` but why it was not conducted.
void dropForm(Function &outlined, Function &form, FunctionAnalysisManager &functions) {
  const Attribute whole = form.getFnAttribute(kWholeConstruct);
  if (whole.isValid()) {
    outlined.addFnAttr(kTaskLoopsStay, whole.getValueAsString());
  }
  outlined.removeFnAttr(kConductedForm);
  functions.clear(form, form.getName());
  form.eraseFromParent();
}

} // namespace

void conductAlone(Function &conductor) {
  for (Instruction &inst : make_early_inc_range(instructions(conductor))) {
    const CallKind kind = kindOf(inst);
    if (kind == CallKind::Critical) {
      auto &turn = cast<CallInst>(inst);
      IRBuilder<> build(&turn);
      FunctionCallee number =
          frontendOf(turn).declare(*conductor.getParent(), CallKind::ThreadNumber);
      setOperand(turn, Role::Thread, build.CreateCall(number, operandOf(turn, Role::Place)));
    }
    if (kind == CallKind::Single && !inst.getType()->isVoidTy()) {
      inst.replaceAllUsesWith(ConstantInt::get(inst.getType(), 1));
    }
    if (kind == CallKind::Single || kind == CallKind::Barrier || kind == CallKind::CopyPrivate ||
        (isThreadOfCalls(inst) && inst.use_empty())) {
      inst.eraseFromParent();
    }
  }
  for (Instruction &inst : make_early_inc_range(instructions(conductor))) {
    if (isThreadOfCalls(inst) && inst.use_empty()) {
      inst.eraseFromParent();
    }
  }
}

PreservedAnalyses ConductConstructsPass::run(Module &module, ModuleAnalysisManager &analyses) {
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  MapVector<Function *, SmallVector<CallInst *, 1>> constructs;
  Requests holdFor;
  for (CallInst *fork : findForks(module, CallKind::Fork)) {
    constructs[outlinedOf(*fork)].push_back(fork);
    const ThreadRequests requests = threadRequests(*fork);
    ++holdFor[requests.threads];
    ++holdFor[requests.binding];
  }
  KnownSteps steps;
  OwnConductors conductors;
  SmallVector<Function *, 16> candidates;
  SmallDenseMap<Function *, Function *, 4> forms; // Of constructs that are conducted in another.
  for (auto &[outlined, forks] : constructs) {
    Function *form = conductedForm(*outlined);
    if (form || Conductor(*outlined, functions, steps, conductors).isCandidate()) {
      candidates.push_back(outlined);
      forms[outlined] = form ? form : outlined;
    }
  }
  SmallVector<Function *, 16> conducted;
  for (Function *outlined : candidates) {
    conducted.push_back(forms[outlined]);
  }
  addConductors(conducted, conductors, functions, steps);
  for (Function *outlined : candidates) {
    const ArrayRef<CallInst *> forks = constructs[outlined];
    Conductor conductor(*forms[outlined], functions, steps, conductors);
    if (Function *function = conductor.create(forks)) {
      for (CallInst *fork : forks) {
        const ThreadRequests requests = threadRequests(*fork);
        conduct(*fork, *function);
        dropRequests(requests, holdFor);
      }
    }
    if (forms[outlined] != outlined) {
      dropForm(*outlined, *forms[outlined], functions);
    }
  }
  for (Function *function : stillNeeded(module)) {
    if (!function->hasComdat() && function->hasExactDefinition()) {
      steps.callFrom(*function, functions);
    }
  }
  conductors.dropUnused();
  return !candidates.empty() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace tutti::compiler
