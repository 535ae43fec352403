// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/openmp/tasks.h"

#include "abi/tasks.h"
#include "compiler/frontend/openmp/kernel_tasks.h"
#include "compiler/frontend/openmp/libomp_calls.h"
#include "compiler/frontend/openmp/task_variables.h"
#include "compiler/ir/task_loops.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <optional>

using namespace llvm;

namespace tutti::compiler::openmp {

namespace {

constexpr StringLiteral kDescribed = "tutti_task_described";
constexpr StringLiteral kDevice = "tutti_task_device";
constexpr StringLiteral kAsks = "tutti_task_asks";
constexpr StringLiteral kReductionPart = "tutti_task_reduction_part";
constexpr StringLiteral kReductionFunction = "tutti_task_reduction_function";
constexpr StringLiteral kCriticalVariable = ".gomp_critical_user_tutti_oss_critical_";

CallBase *callOf(Instruction &instruction, StringRef name) {
  auto *call = dyn_cast<CallBase>(&instruction);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == name ? call : nullptr;
}

/// Rewrites the calls of one module.
class Lowering {
public:
  explicit Lowering(Module &module) : module_(module) {}

  bool run();

private:
  FunctionCallee function(StringRef name, Type *result, ArrayRef<Type *> arguments) {
    return module_.getOrInsertFunction(name, FunctionType::get(result, arguments, false));
  }

  void lowerTask(CallBase &described);
  void describeDevices();
  bool nameReductions();
  void lowerAlloc(CallBase &alloc);
  void lowerSubmit(CallBase &submit);
  void lowerLoop(CallBase &loop);
  static void widenUpper(CallBase &loop);
  bool widenLoops();
  void lowerBody(Function &body);
  void lowerCriticals();

  static void replace(CallBase &old, Value *value) {
    old.replaceAllUsesWith(value ? value : PoisonValue::get(old.getType()));
    if (auto *invoke = dyn_cast<InvokeInst>(&old)) {
      BranchInst::Create(invoke->getNormalDest(), invoke->getIterator());
      invoke->getUnwindDest()->removePredecessor(invoke->getParent());
    }
    old.eraseFromParent();
  }

  Module &module_;
  Type *pointer_ = PointerType::getUnqual(module_.getContext());
  Type *int32_ = Type::getInt32Ty(module_.getContext());
  Type *int64_ = Type::getInt64Ty(module_.getContext());
  Type *nothing_ = Type::getVoidTy(module_.getContext());
  SmallPtrSet<Function *, 16> bodies_;
  TaskVariables variables_{module_};
};

/// What hands the task to libomp: the next such call on every way from `described` on.
CallBase *submitAfter(CallBase &described) {
  SmallPtrSet<const BasicBlock *, 8> seen;
  SmallVector<Instruction *, 8> ways;
  Instruction *next = &described;
  while (next) {
    if (CallBase *call = callOf(*next, "__kmpc_omp_task_with_deps")) {
      return call;
    }
    if (CallBase *call = callOf(*next, "__kmpc_taskloop")) {
      return call;
    }
    if (!next->isTerminator()) {
      next = next->getNextNode();
      continue;
    }
    if (auto *invoke = dyn_cast<InvokeInst>(next)) { // What catches makes tasks of its own.
      ways.push_back(&*invoke->getNormalDest()->begin());
    } else {
      for (BasicBlock *block : successors(next)) { // Items with iterators are loops.
        ways.push_back(&*block->begin());
      }
    }
    while (!ways.empty() && !seen.insert(ways.back()->getParent()).second) {
      ways.pop_back();
    }
    next = ways.empty() ? nullptr : ways.pop_back_val();
  }
  return nullptr;
}

/// What makes the task that `submit` hands to libomp.
CallBase &allocOf(CallBase *submit) {
  Value *task = submit ? submit->getArgOperand(kTask)->stripPointerCasts() : nullptr;
  auto *alloc = dyn_cast_or_null<CallBase>(task);
  if (!alloc || !callOf(*alloc, "__kmpc_omp_task_alloc")) {
    report_fatal_error("tutti: a task is not made as clang 19 makes it");
  }
  return *alloc;
}

/// The highest number that the last iteration may have, as far as the source tells: it is a
/// constant, or has few bits, in which the loop's counter must be able to go beyond it.
std::optional<std::uint64_t> mostIterations(const Value &upper) {
  std::optional<std::uint64_t> most;
  for (const User *user : upper.users()) {
    const auto *store = dyn_cast<StoreInst>(user);
    if (!store) {
      continue;
    }
    const Value *value = store->getValueOperand();
    if (const auto *choice = dyn_cast<SelectInst>(value)) { // What `widenUpper` has left.
      value = choice->getFalseValue();
    }
    const auto *wide = dyn_cast<ZExtInst>(value);
    const auto *number = dyn_cast<ConstantInt>(value);
    if (most || (!wide && !number)) {
      return {};
    }
    most = number ? number->getZExtValue() : maxUIntN(wide->getSrcTy()->getIntegerBitWidth()) - 1;
  }
  return most;
}

/// Says what the constructs for devices are. Order: before any task is lowered.
void Lowering::describeDevices() {
  Function *device = module_.getFunction(kDevice);
  if (!device) {
    return;
  }
  for (User *user : device->users()) {
    auto &call = *cast<CallBase>(user);
    Value *entry = allocOf(submitAfter(call)).getArgOperand(kEntry)->stripPointerCasts();
    describeDeviceTask(module_, call, *cast<Function>(entry));
  }
}

/// Puts functions that Clang has made of declared reductions where constructs ask for them.
bool Lowering::nameReductions() {
  Function *part = module_.getFunction(kReductionPart);
  if (!part) {
    return false;
  }
  DenseMap<std::uint64_t, Function *> byNumber;
  const auto numberOf = [](const CallBase &call) {
    return cast<ConstantInt>(call.getArgOperand(0))->getZExtValue();
  };
  while (!part->use_empty()) {
    auto &call = *cast<CallBase>(part->user_back());
    byNumber[numberOf(call)] = call.getFunction();
    replace(call, nullptr);
  }
  part->eraseFromParent();
  if (Function *asked = module_.getFunction(kReductionFunction)) {
    while (!asked->use_empty()) {
      auto &call = *cast<CallBase>(asked->user_back());
      Function *made = byNumber.lookup(numberOf(call));
      if (!made) {
        report_fatal_error("tutti: a reduction has no function as clang 19 makes it");
      }
      replace(call, made);
    }
    asked->eraseFromParent();
  }
  return true;
}

void Lowering::lowerTask(CallBase &described) {
  CallBase *submit = submitAfter(described);
  CallBase *alloc = &allocOf(submit);
  const bool isLoop = submit->getCalledFunction()->getName() == "__kmpc_taskloop";
  replace(described, ConstantPointerNull::get(cast<PointerType>(pointer_)));
  if (auto *entry = dyn_cast<Function>(alloc->getArgOperand(kEntry)->stripPointerCasts())) {
    lowerBody(*entry);
    if (isLoop) {
      if (const auto most = mostIterations(*submit->getArgOperand(kUpper))) {
        entry->addFnAttr(kLastIteration, std::to_string(*most));
      }
    }
    IRBuilder<> builder(submit);
    variables_.describe(builder, *entry);
    if (isLoop && isa<ConstantPointerNull>(submit->getArgOperand(kDuplicate)) &&
        variables_.makesNoTasks(*entry)) {
      builder.CreateCall(function("tutti_task_option", pointer_, {int32_, int64_}),
                         {builder.getInt32(TUTTI_TASK_DIVIDES), builder.getInt64(1)});
    }
  }
  if (isLoop) {
    lowerLoop(*submit);
  } else {
    lowerSubmit(*submit);
  }
  lowerAlloc(*alloc);
}

void Lowering::lowerAlloc(CallBase &alloc) {
  IRBuilder<> builder(&alloc);
  replace(alloc, builder.CreateCall(
                     function("tutti_task_create", pointer_, {int32_, int64_, int64_, pointer_}),
                     {alloc.getArgOperand(kFlags), alloc.getArgOperand(kBytes),
                      alloc.getArgOperand(kShareds), alloc.getArgOperand(kEntry)}));
}

void Lowering::lowerSubmit(CallBase &submit) {
  IRBuilder<> builder(&submit);
  builder.CreateCall(function("tutti_task_submit", nothing_, {pointer_}),
                     {submit.getArgOperand(kTask)});
  replace(submit, nullptr);
}

/// Whether the function of a loop's tasks has no iterations: clang makes no code for them where
/// they surely do not run, and nothing looks at the first one's number.
bool neverIterates(const Function &entry) {
  for (const Instruction &inst : instructions(entry)) {
    const auto *call = dyn_cast<CallBase>(&inst);
    const Function *body = call ? call->getCalledFunction() : nullptr;
    if (!body || body->isDeclaration() || body->arg_size() <= kBodyLower) {
      continue;
    }
    const auto isLoaded = [](const User *user) {
      const auto *store = dyn_cast<StoreInst>(user);
      return !store || any_of(store->getPointerOperand()->users(),
                              [](const User *each) { return isa<LoadInst>(each); });
    };
    return none_of(body->getArg(kBodyLower)->users(), isLoaded);
  }
  return false;
}

/// The last of no iterations is -1, which clang widens as an unsigned number.
void Lowering::widenUpper(CallBase &loop) {
  constexpr std::uint64_t kNoneWidened = 0xFFFFFFFF;
  auto *alloc = dyn_cast<CallBase>(loop.getArgOperand(kTask)->stripPointerCasts());
  const Function *entry =
      alloc && callOf(*alloc, "__kmpc_omp_task_alloc")
          ? dyn_cast<Function>(alloc->getArgOperand(kEntry)->stripPointerCasts())
          : nullptr;
  for (User *user : loop.getArgOperand(kUpper)->users()) {
    auto *store = dyn_cast<StoreInst>(user);
    auto *wide = store ? dyn_cast<ZExtInst>(store->getValueOperand()) : nullptr;
    const auto *number = store ? dyn_cast<ConstantInt>(store->getValueOperand()) : nullptr;
    if (number && number->getZExtValue() == kNoneWidened && entry && neverIterates(*entry)) {
      store->setOperand(0, Constant::getAllOnesValue(number->getType()));
    }
    if (wide) {
      IRBuilder<> builder(store);
      Value *narrow = wide->getOperand(0);
      Value *isNone = builder.CreateICmpEQ(narrow, Constant::getAllOnesValue(narrow->getType()));
      store->setOperand(
          0, builder.CreateSelect(isNone, Constant::getAllOnesValue(wide->getType()), wide));
    }
  }
}

/// Of OpenMP's loops, too, with which libomp would make 2^32 tasks of nothing.
bool Lowering::widenLoops() {
  bool changed = false;
  for (const StringRef name : {"__kmpc_taskloop", "__kmpc_taskloop_5"}) {
    if (Function *function = module_.getFunction(name)) {
      for (User *user : function->users()) {
        auto *loop = dyn_cast<CallBase>(user);
        if (loop && loop->getCalledFunction() == function) {
          widenUpper(*loop);
          changed = true;
        }
      }
    }
  }
  return changed;
}

void Lowering::lowerLoop(CallBase &loop) {
  IRBuilder<> builder(&loop);
  constexpr std::uint64_t kByGrainsize = 1;
  const auto *schedule = dyn_cast<ConstantInt>(loop.getArgOperand(kSchedule));
  if (schedule && schedule->getZExtValue() == kByGrainsize) {
    builder.CreateCall(function("tutti_task_option", pointer_, {int32_, int64_}),
                       {builder.getInt32(TUTTI_TASK_GRAINSIZE), loop.getArgOperand(kNumber)});
  }
  builder.CreateCall(function("tutti_task_submit_loop", nothing_,
                              {pointer_, pointer_, pointer_, int64_, pointer_}),
                     {loop.getArgOperand(kTask), loop.getArgOperand(kLower),
                      loop.getArgOperand(kUpper), loop.getArgOperand(kStride),
                      loop.getArgOperand(kDuplicate)});
  replace(loop, nullptr);
}

/// The task's function and what it was outlined from: there the body looks up private copies, and
/// learns what is asked of it.
void Lowering::lowerBody(Function &body) {
  if (body.isDeclaration() || !bodies_.insert(&body).second) {
    return;
  }
  SmallVector<CallBase *, 8> lookups;
  SmallVector<CallBase *, 4> questions;
  for (Instruction &instruction : instructions(body)) {
    if (CallBase *call = callOf(instruction, "__kmpc_task_reduction_get_th_data")) {
      lookups.push_back(call);
    } else if (CallBase *call = callOf(instruction, kAsks)) {
      questions.push_back(call);
    } else if (auto *call = dyn_cast<CallBase>(&instruction)) {
      Function *callee = call->getCalledFunction();
      if (callee && callee->hasInternalLinkage() &&
          callee->getName().starts_with(".omp_outlined.")) {
        lowerBody(*callee);
      }
    }
  }
  for (CallBase *lookup : lookups) {
    IRBuilder<> builder(lookup);
    replace(*lookup, builder.CreateCall(function("tutti_task_private", pointer_, {pointer_}),
                                        {lookup->getArgOperand(2)}));
  }
  if (questions.empty()) {
    return;
  }
  // Asked once, where every loop sees that the answer does not change.
  BasicBlock &first = body.getEntryBlock();
  IRBuilder<> builder(&first, first.getFirstNonPHIOrDbgOrAlloca());
  Value *asks = builder.CreateCall(function(kAsks, int32_, {}), {}, "asks");
  for (CallBase *question : questions) {
    replace(*question, asks);
  }
}

void Lowering::lowerCriticals() {
  for (Function &body : module_) {
    for (Instruction &instruction : make_early_inc_range(instructions(body))) {
      CallBase *begin = callOf(instruction, "__kmpc_critical");
      CallBase *end = callOf(instruction, "__kmpc_end_critical");
      CallBase *call = begin ? begin : end;
      if (call && call->getArgOperand(2)->getName().starts_with(kCriticalVariable)) {
        IRBuilder<> builder(call);
        builder.CreateCall(function(begin ? "tutti_task_critical_begin" : "tutti_task_critical_end",
                                    nothing_, {pointer_}),
                           {call->getArgOperand(2)});
        replace(*call, nullptr);
      }
    }
  }
}

bool Lowering::run() {
  const bool hasLoops = widenLoops();
  const bool hasReductions = nameReductions();
  Function *described = module_.getFunction(kDescribed);
  const bool hasCriticals = any_of(module_.globals(), [](const GlobalVariable &variable) {
    return variable.getName().starts_with(kCriticalVariable);
  });
  if (hasCriticals) {
    lowerCriticals();
  }
  if (!described) {
    return hasCriticals || hasLoops || hasReductions;
  }
  describeDevices();
  while (!described->use_empty()) {
    lowerTask(*cast<CallBase>(described->user_back()));
  }
  described->eraseFromParent();
  return true;
}

} // namespace

PreservedAnalyses LowerTasksPass::run(Module &module, ModuleAnalysisManager &) {
  return Lowering(module).run() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace tutti::compiler::openmp
