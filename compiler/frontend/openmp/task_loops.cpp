// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/openmp/task_loops.h"

#include "compiler/frontend/openmp/one_thread_code.h"
#include "compiler/frontend/openmp/task_counter.h"
#include "compiler/frontend/openmp/task_loop_form.h"
#include "compiler/ir/construct_calls.h"
#include "compiler/ir/forks.h"
#include "compiler/ir/function_copies.h"
#include "compiler/ir/task_loops.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace llvm;

namespace tutti::compiler::openmp {

namespace {

constexpr StringLiteral kReductionLock = ".gomp_critical_user_.reduction.var";
constexpr unsigned kTaskAlign = 16;   ///< Of what libomp allocates.
constexpr unsigned kPrivateAlign = 8; ///< Of what comes behind the fields.

/// Some iterations of a loop, and what they need.
struct Task {
  Value *thread = nullptr;
  Value *memory = nullptr;
  Value *shareds = nullptr;
  Value *lists = nullptr; ///< The copies of reduced variables.
  Value *lower = nullptr;
  Value *upper = nullptr;
  Value *isLast = nullptr; ///< Whether the last iteration of the loop is one of them.
};

/// Makes worksharing loops of the loops of tasks of one function, a copy.
class Loops {
public:
  explicit Loops(Function &copy) : copy_(copy), module_(*copy.getParent()) {}

  /// Why that is not possible, or an empty string.
  std::string rewrite();

  /// Lets code beside the loops hear of as many threads as a team would have that nobody asks for a
  /// number of threads.
  void answerTeamSize();

private:
  std::string inlineMakers();
  void shareReduced(std::vector<TaskLoop> &loops, const OneThreadCode &one);
  void putOnHeap(AllocaInst &variable, const BasicBlockEdge &begin, const OneThreadCode &one);
  std::string rewrite(TaskLoop &loop);
  Function *bodyOf(const TaskLoop &loop, Counter &counter) const;
  void callBody(IRBuilder<> &build, const TaskLoop &loop, Function &body, const Task &task) const;
  Function *createCombiner(const TaskLoop &loop);
  Function *createLoop(const TaskLoop &loop, Function &body, const Counter &counter,
                       std::uint64_t schedule);
  void dropWaits();

  /// A variable for what libomp would allocate.
  AllocaInst *createTask(IRBuilder<> &build, const TaskLoop &loop) const {
    const auto bytes = loop.bytes->getZExtValue();
    AllocaInst *task =
        build.CreateAlloca(ArrayType::get(build.getInt8Ty(), bytes), nullptr, "task");
    task->setAlignment(Align(kTaskAlign));
    return task;
  }

  Value *fieldOf(IRBuilder<> &build, Value *structure, std::uint64_t offset) const {
    return offset == 0 ? structure
                       : build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), structure, offset);
  }

  Function &copy_;
  Module &module_;
  LLVMContext &context_ = module_.getContext();
  Type *nothing_ = Type::getVoidTy(context_);
  Type *pointer_ = PointerType::getUnqual(context_);
  Type *int32_ = Type::getInt32Ty(context_);
  Type *int64_ = Type::getInt64Ty(context_);
};

/// Puts functions that divide loops in the place of their calls.
std::string Loops::inlineMakers() {
  constexpr unsigned kMost = 64; // Functions that call themselves would not end.
  for (unsigned count = 0; count < kMost; ++count) {
    CallBase *maker = nullptr;
    for (Instruction &inst : instructions(copy_)) {
      auto *call = dyn_cast<CallBase>(&inst);
      Function *callee = call ? call->getCalledFunction() : nullptr;
      if (callee && !callee->isDeclaration() && dividesLoops(*callee)) {
        maker = call;
        break;
      }
    }
    if (!maker) {
      return {};
    }
    const std::string name = maker->getCalledFunction()->getName().str();
    InlineFunctionInfo info;
    if (maker->getCalledFunction() == &copy_ || !InlineFunction(*maker, info).isSuccess()) {
      return "it calls '" + name + "', which makes tasks";
    }
  }
  return "a function that makes tasks calls itself";
}

/// The way into the one thread's code that leads to all that is done with `variable`; null if there
/// is none.
const BasicBlockEdge *beginOf(const AllocaInst &variable, const OneThreadCode &one) {
  const BasicBlockEdge *begin = nullptr;
  for (const User *user : variable.users()) {
    if (isLifetime(*user)) {
      continue;
    }
    const BasicBlockEdge *found = one.beginOf(*cast<Instruction>(user)->getParent());
    if (!found || (begin && begin != found)) {
      return nullptr;
    }
    begin = found;
  }
  return begin;
}

/// Replaces a variable of the one thread by memory that it allocates where its code begins.
void Loops::putOnHeap(AllocaInst &variable, const BasicBlockEdge &begin, const OneThreadCode &one) {
  for (User *user : make_early_inc_range(variable.users())) {
    if (isLifetime(*user)) {
      cast<Instruction>(user)->eraseFromParent();
    }
  }
  BasicBlock &first =
      *find_if(copy_, [&](const BasicBlock &block) { return &block == begin.getEnd(); });
  IRBuilder<> build(&first, first.getFirstInsertionPt());
  Type *type = variable.getAllocatedType();
  const TypeSize bytes = variable.getDataLayout().getTypeAllocSize(type);
  CallInst *memory = build.CreateMalloc(int64_, type, build.getInt64(bytes.getFixedValue()),
                                        nullptr, nullptr, variable.getName());
  variable.replaceAllUsesWith(memory);
  variable.eraseFromParent();
  for (Instruction &inst : instructions(copy_)) {
    const StringRef name = calleeName(inst);
    const bool isEnd =
        name == "__kmpc_end_single" || name == "__kmpc_end_master" || name == "__kmpc_end_masked";
    if (isEnd && one.beginOf(*inst.getParent()) == &begin) {
      build.SetInsertPoint(&inst);
      build.CreateFree(memory);
    }
  }
}

/// Lets all threads see what loops reduce into, also variables that are the one thread's own.
void Loops::shareReduced(std::vector<TaskLoop> &loops, const OneThreadCode &one) {
  for (TaskLoop &loop : loops) {
    for (Reduced &reduced : loop.reduced) {
      auto *variable = dyn_cast<AllocaInst>(reduced.shared);
      const BasicBlockEdge *begin =
          variable && variable->isStaticAlloca() && variable->getAlign() <= Align(kTaskAlign)
              ? beginOf(*variable, one)
              : nullptr;
      if (!begin) {
        continue;
      }
      WeakTrackingVH shared(variable);
      putOnHeap(*variable, *begin, one);
      for (TaskLoop &other : loops) {
        for (Reduced &each : other.reduced) {
          each.shared = each.shared == variable ? &*shared : each.shared;
        }
      }
    }
  }
}

/// Lets `body` call by its name what finds the task's own variables, so that it can be inlined.
void nameMap(Function &body, Value &map) {
  const AllocaInst *variable = variableOf(*body.getArg(kBodyMap));
  for (Instruction &inst : instructions(body)) {
    auto *call = dyn_cast<CallBase>(&inst);
    const auto *callee = call ? dyn_cast<LoadInst>(call->getCalledOperand()) : nullptr;
    if (callee && callee->getPointerOperand() == variable) {
      call->setCalledOperand(&map);
    }
  }
}

/// The function of a task's iterations with the counter of a worksharing loop. Null, with no
/// function made, if it has an unusual form.
Function *Loops::bodyOf(const TaskLoop &loop, Counter &counter) const {
  ValueToValueMapTy map;
  Function &original = *loop.bodyCall->getCalledFunction();
  Function *body = copyOf(original, original.getName() + ".shared", map);
  SmallVector<CallBase *, 4> asked;
  counter = asksInTurn(loop, *body, asked) ? narrowComparisons(*body) : Counter();
  if (!counter.type) {
    body->eraseFromParent();
    return nullptr;
  }
  nameMap(*body, *loop.bodyCall->getArgOperand(kBodyMap));
  for (unsigned index = 0; index < asked.size(); ++index) {
    IRBuilder<> build(asked[index]);
    Value *list = asked[index]->getArgOperand(1);
    asked[index]->replaceAllUsesWith(
        build.CreateLoad(pointer_, build.CreateConstInBoundsGEP1_64(pointer_, list, index)));
    asked[index]->eraseFromParent();
  }
  return body;
}

/// Executes iterations as the task's function does, which reads them in `task`.
void Loops::callBody(IRBuilder<> &build, const TaskLoop &loop, Function &body,
                     const Task &task) const {
  SmallVector<Value *, kBodyArguments> arguments(loop.bodyCall->args());
  arguments[0] = task.thread;
  arguments[kBodyPart] = fieldOf(build, task.memory, kTaskPart);
  if (loop.privates) {
    arguments[kBodyPrivates] = fieldOf(build, task.memory, *loop.privates);
  }
  arguments[kBodyTask] = task.memory;
  arguments[kBodyLower] = task.lower;
  arguments[kBodyUpper] = task.upper;
  arguments[kBodyStride] = build.getInt64(1);
  // Nobody else tells it.
  const bool isTold = !isa<ConstantPointerNull>(loop.call->getArgOperand(kDuplicate));
  arguments[kBodyLast] = isTold ? task.isLast : build.getInt32(0);
  arguments[kBodyLists] = task.lists;
  arguments[kBodyShareds] = task.shareds;
  build.CreateCall(&body, arguments);
}

/// A function that combines what two lists lead to.
Function *Loops::createCombiner(const TaskLoop &loop) {
  Function *combiner =
      Function::Create(FunctionType::get(nothing_, {pointer_, pointer_}, false),
                       GlobalValue::InternalLinkage, copy_.getName() + ".combine", module_);
  IRBuilder<> build(BasicBlock::Create(context_, "entry", combiner));
  for (unsigned index = 0; index < loop.reduced.size(); ++index) {
    SmallVector<Value *, 2> copies;
    for (Argument &list : combiner->args()) {
      copies.push_back(
          build.CreateLoad(pointer_, build.CreateConstInBoundsGEP1_64(pointer_, &list, index)));
    }
    build.CreateCall(loop.reduced[index].combine, copies);
  }
  build.CreateRetVoid();
  return combiner;
}

/// The type of a variable of which only the size is told, as far as what combines two of them
/// shows it.
Type *typeOf(const Reduced &reduced) {
  const DataLayout &layout = reduced.combine->getDataLayout();
  for (const Instruction &inst : instructions(*reduced.combine)) {
    Type *type = inst.getType();
    if (isa<LoadInst>(inst) && (type->isIntegerTy() || type->isFloatingPointTy()) &&
        layout.getTypeStoreSize(type) == reduced.bytes) {
      return type;
    }
  }
  return ArrayType::get(Type::getInt8Ty(reduced.combine->getContext()), reduced.bytes);
}

/// void (thread, task, shareds, originals, upper, chunk): each thread's share of the iterations.
Function *Loops::createLoop(const TaskLoop &loop, Function &body, const Counter &counter,
                            std::uint64_t schedule) {
  Function *shared = Function::Create(
      FunctionType::get(nothing_, {int32_, pointer_, pointer_, pointer_, int64_, int64_}, false),
      GlobalValue::InternalLinkage, loop.entry->getName() + ".loop", module_);
  Argument *thread = shared->getArg(0);
  Argument *task = shared->getArg(1);
  Argument *originals = shared->getArg(3);
  Argument *upper = shared->getArg(4);
  Value *place = loop.call->getArgOperand(kPlace);
  IRBuilder<> build(BasicBlock::Create(context_, "entry", shared));
  AllocaInst *own = createTask(build, loop);
  AllocaInst *last = build.CreateAlloca(int32_, nullptr, "last");
  AllocaInst *lowerOfPiece = build.CreateAlloca(counter.type, nullptr, "lower");
  AllocaInst *upperOfPiece = build.CreateAlloca(counter.type, nullptr, "upper");
  AllocaInst *stride = build.CreateAlloca(counter.type, nullptr, "stride");
  const unsigned count = loop.reduced.size();
  Type *list = ArrayType::get(pointer_, count);
  AllocaInst *found = build.CreateAlloca(list, nullptr, "found");
  AllocaInst *told = build.CreateAlloca(list, nullptr, "told");
  SmallVector<AllocaInst *, 4> copies;
  for (const Reduced &each : loop.reduced) {
    copies.push_back(build.CreateAlloca(typeOf(each), nullptr, "copy"));
  }
  BasicBlock *begin = BasicBlock::Create(context_, "begin", shared);
  BasicBlock *next = BasicBlock::Create(context_, "next", shared);
  BasicBlock *piece = BasicBlock::Create(context_, "piece", shared);
  BasicBlock *end = BasicBlock::Create(context_, "end", shared);
  BasicBlock *exit = BasicBlock::Create(context_, "exit", shared);
  build.CreateCondBr(build.CreateICmpEQ(upper, ConstantInt::getAllOnesValue(int64_)), exit, begin);

  const std::string suffix =
      (counter.type->isIntegerTy(32) ? "4" : "8") + std::string(counter.isSigned ? "" : "u");
  build.SetInsertPoint(begin);
  SmallVector<Value *, 4> of;
  for (unsigned index = 0; index < count; ++index) {
    of.push_back(
        build.CreateLoad(pointer_, build.CreateConstInBoundsGEP1_64(pointer_, originals, index)));
    build.CreateStore(copies[index], build.CreateConstInBoundsGEP1_64(pointer_, found, index));
  }
  for (unsigned index = 0; index < count; ++index) {
    build.CreateCall(loop.reduced[index].initialise, {copies[index], of[index]});
  }
  Type *type = counter.type;
  build.CreateCall(module_.getOrInsertFunction("__kmpc_dispatch_init_" + suffix, nothing_, pointer_,
                                               int32_, int32_, type, type, type, type),
                   {place, thread, build.getInt32(schedule), ConstantInt::get(type, 0),
                    build.CreateTrunc(upper, type), ConstantInt::get(type, 1),
                    build.CreateTrunc(shared->getArg(5), type)});
  build.CreateBr(next);

  build.SetInsertPoint(next);
  Value *isThere = build.CreateCall(module_.getOrInsertFunction("__kmpc_dispatch_next_" + suffix,
                                                                int32_, pointer_, int32_, pointer_,
                                                                pointer_, pointer_, pointer_),
                                    {place, thread, last, lowerOfPiece, upperOfPiece, stride});
  build.CreateCondBr(build.CreateIsNotNull(isThere), piece, end);

  build.SetInsertPoint(piece);
  if (loop.privates) { // A task begins with what its variables were where it was made.
    build.CreateMemCpy(fieldOf(build, own, *loop.privates), Align(kPrivateAlign),
                       fieldOf(build, task, *loop.privates), Align(kPrivateAlign),
                       loop.bytes->getZExtValue() - *loop.privates);
  }
  const auto wide = [&](AllocaInst *variable) {
    return build.CreateIntCast(build.CreateLoad(type, variable), int64_, counter.isSigned);
  };
  callBody(build, loop, body,
           {thread, own, shared->getArg(2), found, wide(lowerOfPiece), wide(upperOfPiece),
            build.CreateLoad(int32_, last)});
  build.CreateBr(next);

  build.SetInsertPoint(end);
  build.CreateCall(
      module_.getOrInsertFunction("__kmpc_dispatch_deinit", nothing_, pointer_, int32_),
      {place, thread});
  if (count == 0) {
    build.CreateBr(exit);
  } else {
    for (unsigned index = 0; index < count; ++index) {
      build.CreateStore(copies[index], build.CreateConstInBoundsGEP1_64(pointer_, told, index));
    }
    Type *lockType = ArrayType::get(int32_, 8);
    auto *lock = cast<GlobalVariable>(module_.getOrInsertGlobal(kReductionLock, lockType));
    if (!lock->hasInitializer()) {
      lock->setLinkage(GlobalValue::CommonLinkage);
      lock->setInitializer(Constant::getNullValue(lockType));
      lock->setAlignment(Align(8));
    }
    const ConstructCalls &calls = commonCalls();
    Value *answer = build.CreateCall(calls.declare(module_, CallKind::Reduce),
                                     {place, thread, build.getInt32(count),
                                      build.getInt64(count * sizeof(void *)), told,
                                      createCombiner(loop), lock});
    BasicBlock *combine = BasicBlock::Create(context_, "combine", shared, exit);
    build.CreateSwitch(answer, exit, 1)->addCase(build.getInt32(1), combine);
    build.SetInsertPoint(combine);
    for (unsigned index = 0; index < count; ++index) {
      build.CreateCall(loop.reduced[index].combine, {of[index], copies[index]});
    }
    build.CreateCall(calls.declare(module_, CallKind::EndReduceNow), {place, thread, lock});
    build.CreateBr(exit);
  }
  build.SetInsertPoint(exit);
  build.CreateRetVoid();
  return shared;
}

/// How a loop's iterations are dealt out as tasks, and whether there is more than one.
struct Deal {
  std::uint64_t schedule = 0;
  Value *chunk = nullptr;
  Value *isMany = nullptr; ///< Null: whenever it matters.
};

/// Source: sched_type of libomp; what __kmpc_taskloop makes of `grainsize` and `num_tasks`.
Deal dealOf(IRBuilder<> &build, const CallBase &loop, Value *iterations) {
  constexpr std::uint64_t kNonmonotonic = 1U << 30;
  constexpr std::uint64_t kDynamic = kNonmonotonic | 35;
  constexpr std::uint64_t kGuided = kNonmonotonic | 36;
  constexpr std::uint64_t kByGrainsize = 1;
  const auto *kind = cast<ConstantInt>(loop.getArgOperand(kSchedule));
  Value *one = build.getInt64(1);
  Deal deal{kGuided, one, nullptr};
  if (!kind->isZero()) {
    const auto *constant = dyn_cast<ConstantInt>(loop.getArgOperand(kNumber));
    Value *number = build.CreateBinaryIntrinsic(Intrinsic::umax, loop.getArgOperand(kNumber), one);
    const bool isGrainsize = kind->getZExtValue() == kByGrainsize;
    Value *tasks = isGrainsize ? build.CreateUDiv(iterations, number) : number;
    Value *chunk =
        isGrainsize
            ? number
            : build.CreateAdd(build.CreateUDiv(build.CreateSub(iterations, one), number), one);
    deal.schedule = kDynamic;
    deal.chunk = build.CreateBinaryIntrinsic(
        Intrinsic::umax, build.CreateBinaryIntrinsic(Intrinsic::umin, chunk, iterations), one);
    const bool isSure = constant && constant->isOne() == isGrainsize;
    deal.isMany = isSure ? nullptr : build.CreateICmpUGT(tasks, one);
  }
  const auto *condition = dyn_cast<ConstantInt>(loop.getArgOperand(kCondition));
  if (!condition || condition->isZero()) {
    Value *isDeferred = build.CreateIsNotNull(loop.getArgOperand(kCondition));
    deal.isMany = deal.isMany ? build.CreateAnd(deal.isMany, isDeferred) : isDeferred;
  }
  return deal;
}

std::string Loops::rewrite(TaskLoop &loop) {
  Counter counter;
  Function *body = bodyOf(loop, counter);
  if (!body) {
    return "one of its loops of tasks has an unusual form";
  }
  IRBuilder<> variables(&copy_.getEntryBlock(), copy_.getEntryBlock().begin());
  AllocaInst *task = createTask(variables, loop);
  AllocaInst *shareds = variables.CreateAlloca(
      ArrayType::get(variables.getInt8Ty(),
                     cast<ConstantInt>(loop.alloc->getArgOperand(kShareds))->getZExtValue()),
      nullptr, "shareds");
  shareds->setAlignment(Align(kTaskAlign));
  AllocaInst *originals =
      variables.CreateAlloca(ArrayType::get(pointer_, loop.reduced.size()), nullptr, "originals");
  IRBuilder<> build(loop.alloc);
  for (unsigned index = 0; index < loop.reduced.size(); ++index) {
    build.CreateStore(loop.reduced[index].shared,
                      build.CreateConstInBoundsGEP1_64(pointer_, originals, index));
  }
  for (LoadInst *load : loadsOf(*loop.alloc, kTaskShareds)) {
    load->replaceAllUsesWith(shareds);
    load->eraseFromParent();
  }
  loop.alloc->replaceAllUsesWith(task);
  loop.alloc->eraseFromParent();

  build.SetInsertPoint(loop.call);
  build.SetCurrentDebugLocation(loop.call->getDebugLoc());
  Value *thread = loop.call->getArgOperand(kThread);
  Value *upper = build.CreateLoad(int64_, loop.call->getArgOperand(kUpper));
  const Deal deal = dealOf(build, *loop.call, build.CreateAdd(upper, build.getInt64(1)));
  Function *shared = createLoop(loop, *body, counter, deal.schedule);
  if (deal.isMany) {
    Instruction *many = nullptr;
    Instruction *one = nullptr;
    SplitBlockAndInsertIfThenElse(deal.isMany, loop.call, &many, &one);
    build.SetInsertPoint(one);
    // It may as well add to the variables themselves.
    Value *isAny = build.CreateICmpNE(upper, ConstantInt::getAllOnesValue(int64_));
    callBody(build, loop, *body,
             {thread, task, shareds, originals, build.getInt64(0), upper,
              build.CreateZExt(isAny, int32_)});
    build.SetInsertPoint(many);
  }
  build.CreateCall(shared, {thread, task, shareds, originals, upper, deal.chunk});
  loop.call->eraseFromParent();
  return {};
}

/// Nobody makes tasks any more for which threads would wait.
void Loops::dropWaits() {
  for (Instruction &inst : make_early_inc_range(instructions(copy_))) {
    const StringRef name = calleeName(inst);
    if (name == "__kmpc_taskgroup" || name == "__kmpc_end_taskgroup" ||
        name == "__kmpc_omp_taskwait" || name == kReduce) {
      if (!inst.getType()->isVoidTy()) {
        inst.replaceAllUsesWith(Constant::getNullValue(inst.getType()));
      }
      inst.eraseFromParent();
    }
  }
}

void Loops::answerTeamSize() {
  const FunctionCallee size = module_.getOrInsertFunction("tutti_team_size", int32_, int32_);
  SmallVector<CallBase *, 4> questions;
  for (Instruction &inst : instructions(copy_)) {
    if (calleeName(inst) == "omp_get_num_threads") {
      questions.push_back(cast<CallBase>(&inst));
    }
  }
  for (CallBase *question : questions) {
    if (auto *invoke = dyn_cast<InvokeInst>(question)) { // C++ knows nothing of what it throws.
      question = changeToCall(invoke);
    }
    IRBuilder<> build(question);
    CallInst *answer = build.CreateCall(size, build.getInt32(0));
    answer->setOnlyReadsMemory(); // The same for each thread.
    answer->setDoesNotThrow();
    question->replaceAllUsesWith(answer);
    question->eraseFromParent();
  }
}

std::string Loops::rewrite() {
  if (std::string reason = inlineMakers(); !reason.empty()) {
    return reason;
  }
  const OneThreadCode one(copy_);
  std::vector<TaskLoop> loops;
  for (Instruction &inst : instructions(copy_)) {
    if (calleeName(inst).starts_with(kTaskloop)) {
      if (!one.contains(*inst.getParent())) {
        return "each of its threads makes all tasks of a loop";
      }
      loops.emplace_back().call = cast<CallBase>(&inst);
    }
  }
  for (TaskLoop &loop : loops) {
    if (std::string reason = describeTaskLoop(loop); !reason.empty()) {
      return reason;
    }
  }
  shareReduced(loops, one);
  for (TaskLoop &loop : loops) {
    if (std::string reason = rewrite(loop); !reason.empty()) {
      return reason;
    }
  }
  if (any_of(instructions(copy_),
             [](const Instruction &inst) { return calleeName(inst) == kAlloc; })) {
    return "it makes other tasks, too";
  }
  dropWaits();
  return {};
}

} // namespace

PreservedAnalyses TaskLoopsPass::run(Module &module, ModuleAnalysisManager &) {
  if (!module.getFunction(kTaskloop)) {
    return PreservedAnalyses::all();
  }
  MapVector<Function *, bool> constructs; // Whether they ask for a number of threads.
  for (CallInst *fork : findForks(module, CallKind::Fork)) {
    if (dividesLoops(*outlinedOf(*fork))) {
      constructs[outlinedOf(*fork)] |= threadRequests(*fork).threads != nullptr;
    }
  }
  for (const auto &[outlined, asksForThreads] : constructs) {
    ValueToValueMapTy map;
    Function *copy = copyOf(*outlined, outlined->getName() + ".loops", map);
    Loops loops(*copy);
    const std::string reason = loops.rewrite();
    if (reason.empty() && !asksForThreads) {
      loops.answerTeamSize();
    }
    if (reason.empty()) {
      outlined->addFnAttr(kConductedForm, copy->getName());
    } else {
      outlined->addFnAttr(kTaskLoopsStay, reason);
      copy->eraseFromParent();
    }
  }
  return constructs.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace tutti::compiler::openmp
