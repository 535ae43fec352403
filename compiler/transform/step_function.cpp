// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/step_function.h"

#include "compiler/analysis/loop_sequence.h"
#include "compiler/ir/function_copies.h"
#include "compiler/transform/encoded_captures.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

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

/// The function of one loop, which gets the blocks of the loop; the function around it, here the
/// conductor, gets a fork or a call instead.
class StepFunction {
public:
  StepFunction(Function &conductor, const ConductedLoop &loop)
      : conductor_(conductor), loop_(loop), inputs_(inputsOf(conductor, loop)) {}

  /// `requests` is null if the step is to be called.
  Function *create(const Twine &name, const ThreadRequests *requests);

private:
  void declare(const Twine &name);
  void fork(IRBuilder<> &build, const ThreadRequests &requests);
  void call(IRBuilder<> &build);
  void replaceLoop();
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
    // Pointers that are arguments keep what is known of them, aliases and sizes.
    map_[inputs_[index]] = decodeCapture(build, passed, inputs_[index]->getType());
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

Function *StepFunction::create(const Twine &name, const ThreadRequests *requests) {
  declare(name);
  IRBuilder<> build(loop_.before->getTerminator());
  build.SetCurrentDebugLocation(loop_.calls.init->getDebugLoc());
  if (requests) {
    fork(build, *requests);
  } else {
    call(build);
  }
  replaceLoop();
  enter();
  Function *blocks = cut();
  // A copy, because debugging information says of each place in which function it is.
  copyInto(*step_, *blocks, map_);
  step_->removeFnAttr(kWholeConstruct);
  // What others call, too, may be executed inside of itself.
  for (const auto kind : {Attribute::NoRecurse, Attribute::AlwaysInline, Attribute::NoInline}) {
    step_->removeFnAttr(kind);
  }
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

void StepFunction::fork(IRBuilder<> &build, const ThreadRequests &requests) {
  CallInst &init = *loop_.calls.init;
  passRequests(build, requests, init);
  SmallVector<Value *, 16> operands{operandOf(init, Role::Place), build.getInt32(inputs_.size()),
                                    step_};
  for (Value *input : inputs_) {
    operands.push_back(encodeCapture(build, input));
  }
  build.CreateCall(frontendOf(init).declare(*step_->getParent(), CallKind::Fork), operands);
}

/// As the thread that it is: steps look it up where libomp says who they are.
void StepFunction::call(IRBuilder<> &build) {
  CallInst &init = *loop_.calls.init;
  IRBuilder<> entry(&*conductor_.getEntryBlock().getFirstInsertionPt());
  Value *number = entry.CreateAlloca(entry.getInt32Ty(), nullptr, "tutti.thread");
  FunctionCallee ask = frontendOf(init).declare(*step_->getParent(), CallKind::ThreadNumber);
  build.CreateStore(build.CreateCall(ask, operandOf(init, Role::Place)), number);
  SmallVector<Value *, 16> operands(kThreadArguments, number);
  for (Value *input : inputs_) {
    operands.push_back(encodeCapture(build, input));
  }
  build.CreateCall(step_, operands);
}

/// Goes on behind the loop, whose blocks end the step.
void StepFunction::replaceLoop() {
  Instruction *leave = loop_.before->getTerminator();
  BranchInst::Create(loop_.exit, leave->getIterator());
  loop_.exit->replacePhiUsesWith(loop_.last, loop_.before);
  loop_.last->getTerminator()->eraseFromParent();
  ReturnInst::Create(step_->getContext(), loop_.last);
  leave->eraseFromParent();
}

} // namespace

void bringIntoOneForm(Function &function, FunctionAnalysisManager &analyses) {
  // In this order, whether or not another pass has simplified the function before.
  SimplifyCFGPass().run(function, analyses);
  analyses.clear(function, function.getName());
  EarlyCSEPass().run(function, analyses);
  SimplifyCFGPass().run(function, analyses);
  analyses.clear(function, function.getName());
}

Function *withThreadArguments(Function &function) {
  SmallVector<Type *, 8> types(kThreadArguments, PointerType::getUnqual(function.getContext()));
  append_range(types, function.getFunctionType()->params());
  Function *copy = Function::Create(FunctionType::get(function.getReturnType(), types, false),
                                    GlobalValue::InternalLinkage, function.getName() + ".as_thread",
                                    function.getParent());
  ValueToValueMapTy map;
  for (Argument &argument : function.args()) {
    map[&argument] = copy->getArg(argument.getArgNo() + kThreadArguments);
  }
  copyInto(*copy, function, map);
  return copy;
}

Function *forkStep(Function &conductor, const ConductedLoop &loop, const Twine &name,
                   const ThreadRequests &requests) {
  return StepFunction(conductor, loop).create(name, &requests);
}

Function *callStep(Function &function, const ConductedLoop &loop, const Twine &name) {
  return StepFunction(function, loop).create(name, nullptr);
}

} // namespace tutti::compiler
