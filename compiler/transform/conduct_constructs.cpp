// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/conduct_constructs.h"

#include "compiler/analysis/conducted_code.h"
#include "compiler/analysis/construct_code.h"
#include "compiler/analysis/left_values.h"
#include "compiler/analysis/loop_sequence.h"
#include "compiler/analysis/worksharing.h"
#include "compiler/ir/forks.h"
#include "compiler/transform/combine_left.h"
#include "compiler/transform/encoded_captures.h"

#include "llvm/ADT/DenseMap.h"
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
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/FunctionComparator.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Of a conductor: a pointer to the number of threads that its construct asks for, if it asks.
constexpr unsigned kNumberArgument = 1;

/// What `loop` uses of the conductor's values and variables.
SmallSetVector<Value *, 16> inputsOf(Function &function, const ConductedLoop &loop) {
  SmallSetVector<Value *, 16> inputs;
  for (BasicBlock &block : function) {
    if (!loop.blocks.contains(&block)) {
      continue;
    }
    for (Instruction &inst : block) {
      for (Value *used : inst.operands()) {
        const auto *other = dyn_cast<Instruction>(used);
        auto *variable = dyn_cast<AllocaInst>(used);
        const bool isInput = other ? !loop.contains(*other) : isa<Argument>(used);
        if (isInput && !isThreadOfCalls(*used) && !(variable && loop.own.count(variable))) {
          inputs.insert(used);
        }
      }
    }
  }
  for (const auto &[variable, store] : loop.own) {
    if (store && !isa<Constant>(store->getValueOperand())) {
      inputs.insert(store->getValueOperand());
    }
  }
  return inputs;
}

/// Asks for what the construct asks for, before a step: threads, whose number the conductor gets
/// where others get the number of a thread, and a binding.
void passRequests(IRBuilder<> &build, const ThreadRequests &requests, const CallInst &init) {
  if (!requests.threads && !requests.binding) {
    return;
  }
  Module &module = *build.GetInsertBlock()->getModule();
  const ConstructCalls &frontend = frontendOf(init);
  Value *place = operandOf(init, Role::Place);
  Value *self = build.CreateCall(frontend.declare(module, CallKind::ThreadNumber), place);
  if (requests.threads) {
    Argument *number = build.GetInsertBlock()->getParent()->getArg(kNumberArgument);
    build.CreateCall(frontend.declare(module, CallKind::RequestThreads),
                     {place, self, build.CreateLoad(build.getInt32Ty(), number)});
  }
  if (requests.binding) {
    build.CreateCall(requests.binding->getFunctionType(), requests.binding->getCalledOperand(),
                     {place, self, operandOf(*requests.binding, Role::Number)});
  }
}

/// The function of one loop, which gets the blocks of the loop; the conductor gets a fork instead.
class StepFunction {
public:
  StepFunction(Function &conductor, const ConductedLoop &loop)
      : conductor_(conductor), loop_(loop), inputs_(inputsOf(conductor, loop)) {}

  Function *create(const Twine &name, const ThreadRequests &requests);

private:
  void declare(const Twine &name);
  void fork(const ThreadRequests &requests);
  void enter();
  void takeVariables(IRBuilder<> &build);
  Function *cut();
  void eraseMarkers();

  Value *copyOf(const Value *value) {
    return isa<Constant>(value) ? const_cast<Value *>(value) : static_cast<Value *>(map_[value]);
  }

  Function &conductor_;
  const ConductedLoop &loop_;
  const SmallSetVector<Value *, 16> inputs_;
  Function *step_ = nullptr;
  Value *thread_ = nullptr;
  ValueToValueMapTy map_;
};

void StepFunction::declare(const Twine &name) {
  LLVMContext &context = conductor_.getContext();
  Type *ptr = PointerType::getUnqual(context);
  SmallVector<Type *, 16> types(kThreadArguments, ptr);
  for (const Value *input : inputs_) {
    types.push_back(input->getType()->isPointerTy() ? ptr : Type::getInt64Ty(context));
  }
  step_ = Function::Create(FunctionType::get(Type::getVoidTy(context), types, false),
                           GlobalValue::InternalLinkage, name, conductor_.getParent());
}

/// Variables that begin with what the conductor has stored, or with nothing.
void StepFunction::takeVariables(IRBuilder<> &build) {
  for (const auto &[variable, store] : loop_.own) {
    Instruction *own = build.Insert(variable->clone());
    map_[variable] = own;
    if (store) {
      build.CreateAlignedStore(copyOf(store->getValueOperand()), own, store->getAlign());
    }
  }
}

/// What the step begins with: the values that the loop uses.
void StepFunction::enter() {
  BasicBlock *entry = BasicBlock::Create(step_->getContext(), "entry.step", step_);
  IRBuilder<> build(entry);
  thread_ = build.CreateLoad(build.getInt32Ty(), step_->getArg(0));
  for (Argument &argument : conductor_.args()) {
    const bool isThread = argument.getArgNo() < kThreadArguments;
    map_[&argument] = isThread ? static_cast<Value *>(step_->getArg(argument.getArgNo()))
                               : PoisonValue::get(argument.getType());
  }
  for (unsigned index = 0; index < inputs_.size(); ++index) {
    Value *passed = step_->getArg(index + kThreadArguments);
    // Arguments keep what is known of them, aliases and sizes.
    map_[inputs_[index]] = isa<Argument>(inputs_[index])
                               ? passed
                               : decodeCapture(build, passed, inputs_[index]->getType());
  }
  for (const BasicBlock *block : loop_.blocks) {
    for (const Instruction &inst : *block) {
      for (const Value *used : inst.operands()) {
        const auto *other = dyn_cast<Instruction>(used);
        if (other && !loop_.contains(*other) && isThreadOfCalls(*other)) {
          map_[other] = thread_;
        }
      }
    }
  }
  takeVariables(build);
}

/// The loop's blocks, which use what the conductor has, in a function with its attributes.
Function *StepFunction::cut() {
  Function *blocks = Function::Create(conductor_.getFunctionType(), GlobalValue::InternalLinkage,
                                      step_->getName() + ".blocks", conductor_.getParent());
  blocks->copyAttributesFrom(&conductor_);
  blocks->copyMetadata(&conductor_, 0);
  for (BasicBlock &block : make_early_inc_range(conductor_)) {
    if (loop_.blocks.contains(&block)) {
      blocks->splice(blocks->end(), &conductor_, block.getIterator());
    }
  }
  for (Argument &argument : conductor_.args()) {
    map_[blocks->getArg(argument.getArgNo())] = copyOf(&argument);
  }
  return blocks;
}

/// What begins beside the loop may end in it, and is the step's.
void StepFunction::eraseMarkers() {
  for (const auto &[variable, store] : loop_.own) {
    SmallVector<const Instruction *, 4> inside;
    bool isMarkedBeside = false;
    for (const User *user : variable->users()) {
      const auto *marker = dyn_cast<IntrinsicInst>(user);
      if (marker && marker->isLifetimeStartOrEnd()) {
        isMarkedBeside |= !loop_.contains(*marker);
        if (loop_.contains(*marker)) {
          inside.push_back(marker);
        }
      }
    }
    for (const Instruction *marker : inside) {
      if (isMarkedBeside) {
        cast<Instruction>(copyOf(marker))->eraseFromParent();
      }
    }
  }
}

Function *StepFunction::create(const Twine &name, const ThreadRequests &requests) {
  declare(name);
  fork(requests);
  enter();
  Function *blocks = cut();
  // A copy, because debugging information says of each place in which function it is.
  SmallVector<ReturnInst *, 1> returns;
  CloneFunctionInto(step_, blocks, map_, CloneFunctionChangeType::LocalChangesOnly, returns);
  step_->removeFnAttr(kWholeConstruct);
  BranchInst::Create(cast<BasicBlock>(copyOf(loop_.first)), &step_->getEntryBlock());
  for (Instruction &inst : instructions(*step_)) {
    const CallKind kind = kindOf(inst);
    if (kind != CallKind::None && kind != CallKind::ThreadNumber && kind != CallKind::Flush) {
      setOperand(cast<CallInst>(inst), Role::Thread, thread_);
    }
  }
  eraseMarkers();
  blocks->eraseFromParent();
  removeUnreachableBlocks(*step_);
  return step_;
}

/// Puts a fork of the step in the place of the loop.
void StepFunction::fork(const ThreadRequests &requests) {
  CallInst &init = *loop_.calls.init;
  Instruction *leave = loop_.before->getTerminator();
  IRBuilder<> build(leave);
  build.SetCurrentDebugLocation(init.getDebugLoc());
  passRequests(build, requests, init);
  SmallVector<Value *, 16> operands{operandOf(init, Role::Place), build.getInt32(inputs_.size()),
                                    step_};
  for (Value *input : inputs_) {
    operands.push_back(encodeCapture(build, input));
  }
  build.CreateCall(frontendOf(init).declare(*step_->getParent(), CallKind::Fork), operands);
  build.CreateBr(loop_.exit);
  loop_.exit->replacePhiUsesWith(loop_.last, loop_.before);
  loop_.last->getTerminator()->eraseFromParent();
  ReturnInst::Create(step_->getContext(), loop_.last);
  leave->eraseFromParent();
}

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

/// The steps of all constructs. A function with loops that is called in several places is inlined
/// into each, and its loops are the same.
class Steps {
public:
  /// Puts one that is known in the place of `step`, of a construct that asks for no threads, if it
  /// does the same and is of the same loop of the program.
  void add(Function &step, const DebugLoc &place);

private:
  SmallVector<std::pair<Function *, DebugLoc>, 16> known_;
};

void Steps::add(Function &step, const DebugLoc &place) {
  GlobalNumberState numbers;
  for (const auto &[other, otherPlace] : known_) {
    const bool isSamePlace = place && otherPlace && place.getLine() == otherPlace.getLine() &&
                             place.getCol() == otherPlace.getCol() &&
                             cast<DIScope>(place.getScope())->getFile() ==
                                 cast<DIScope>(otherPlace.getScope())->getFile();
    if (isSamePlace && FunctionComparator(other, &step, &numbers).compare() == 0) {
      step.replaceAllUsesWith(other);
      step.eraseFromParent();
      return;
    }
  }
  known_.emplace_back(&step, place);
}

class Conductor {
public:
  Conductor(Function &outlined, FunctionAnalysisManager &functions, Steps &steps)
      : outlined_(outlined), functions_(functions), steps_(steps) {}

  /// Whether there is something to be conducted, as far as is seen without a copy.
  bool isCandidate() const;

  /// The conductor; null if it stays whole, and says why unless others do.
  Function *create(ArrayRef<CallInst *> forks);

private:
  std::string prepare(Function &copy, ArrayRef<CallInst *> forks);

  Function &outlined_;
  FunctionAnalysisManager &functions_;
  Steps &steps_;
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
  if (reason.empty() && threadRequests(*forks.front()).threads && callsStranger(copy, library)) {
    reason = "it asks for a number of threads, and a function that it calls may want to know";
  }
  return reason;
}

Function *Conductor::create(ArrayRef<CallInst *> forks) {
  Function *copy = promotedCopy(outlined_, outlined_.getName() + ".conducted", functions_);
  if (holdsTurns(*copy)) { // What threads take turns for may be what loops leave, in a simple form.
    EarlyCSEPass().run(*copy, functions_);
    functions_.clear(*copy, copy->getName());
  }
  const SmallVector<SequencedLoop, 4> all = sequencedLoops(*copy);
  const bool isNeeded =
      all.size() > 1 || (all.size() == 1 && (holdsSingle(*copy) || holdsTurnsBehind(*copy) ||
                                             ConstructCode(*copy, functions_).isRepeated(0)));
  const std::string reason = isNeeded ? prepare(*copy, forks) : "";
  functions_.clear(*copy, copy->getName());
  if (!isNeeded || !reason.empty()) {
    if (isNeeded) {
      outlined_.addFnAttr(kWholeConstruct, reason);
    }
    copy->eraseFromParent();
    return nullptr;
  }
  const ThreadRequests requests = threadRequests(*forks.front());
  for (unsigned index = 0; index < loops_.size(); ++index) {
    const DebugLoc place = loops_[index].calls.init->getDebugLoc();
    Function *step = StepFunction(*copy, loops_[index])
                         .create(outlined_.getName() + ".step" + Twine(index), requests);
    if (!requests.threads && !requests.binding) {
      steps_.add(*step, place);
    }
  }
  removeUnreachableBlocks(*copy);
  conductAlone(*copy);
  announceCalls(*copy, functions_.getResult<TargetLibraryAnalysis>(*copy));
  copy->removeFnAttr(kWholeConstruct);
  return copy;
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
  bool changed = false;
  Steps steps;
  for (auto &[outlined, forks] : constructs) {
    Conductor conductor(*outlined, functions, steps);
    if (!conductor.isCandidate()) {
      continue;
    }
    changed = true;
    if (Function *function = conductor.create(forks)) {
      for (CallInst *fork : forks) {
        const ThreadRequests requests = threadRequests(*fork);
        conduct(*fork, *function);
        dropRequests(requests, holdFor);
      }
    }
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace tutti::compiler
