// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/thread_loops.h"

#include "compiler/analysis/source_names.h"
#include "compiler/analysis/teams.h"
#include "compiler/analysis/thread_stretches.h"
#include "compiler/analysis/worksharing.h"
#include "compiler/ir/entry_points.h"
#include "compiler/ir/forks.h"
#include "compiler/ir/output_calls.h"
#include "compiler/ir/split_variables.h"
#include "compiler/transform/conduct_constructs.h"
#include "compiler/transform/deal_slots.h"
#include "compiler/transform/number_loop.h"
#include "compiler/transform/serial_forks.h"
#include "compiler/transform/stretch_values.h"
#include "compiler/transform/thread_reduction.h"
#include "compiler/transform/thread_rows.h"
#include "compiler/transform/thread_share.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Stands for the number of the thread until it is that of an iteration.
constexpr const char *kNumber = "tutti.thread.number";

/// `outlined` with more captures: rows of thread-private variables if `hasRows`, the number of
/// threads, and the memory that is kept for them.
Function *withTeam(Function &outlined, bool hasRows) {
  LLVMContext &context = outlined.getContext();
  Type *ptr = PointerType::getUnqual(context);
  SmallVector<Type *, 3> types{Type::getInt64Ty(context), ptr};
  if (hasRows) {
    types.insert(types.begin(), ptr);
  }
  Function *copy = withCaptures(outlined, types);
  Argument *team = copy->getArg(copy->arg_size() - 2);
  team->setName("team");
  const ConstantRange range(APInt(64, 1), APInt::getOneBitSet(64, 31));
  team->addAttr(Attribute::get(context, Attribute::Range, range));
  copy->getArg(copy->arg_size() - 1)->setName("memory");
  if (hasRows) {
    Argument *rows = copy->getArg(copy->arg_size() - 3);
    rows->setName("rows");
    rows->addAttr(Attribute::NoAlias);
  }
  return copy;
}

/// Who executes the iterations of a loop over numbers.
enum class Executor {
  Threads, ///< Those of a new construct.
  Caller,  ///< The calling thread alone, one after the other.
};

/// One construct on its way to loops over the numbers of its threads.
class ThreadLooper {
public:
  /// `rows` is null if thread-private variables keep it as it was.
  ThreadLooper(Function &outlined, ArrayRef<CallInst *> forks, Executor executor, ThreadRows *rows,
               FunctionAnalysisManager &functions)
      : outlined_(outlined), forks_(forks), fork_(*forks.front()), executor_(executor), rows_(rows),
        functions_(functions) {}

  /// The function of the new construct. Null if it is left as it was, and says why, unless nothing
  /// was to be gained.
  Function *create();

  /// How many bytes each thread wants to be kept.
  std::uint64_t bytesKept() const { return bytesKept_; }

private:
  std::string transform();
  std::string executeAlone(const ThreadStretches &stretches);
  void nameNumbers();
  void markCalls();
  void simplify();
  void copyTeam();
  bool needsLoop(const ThreadStretch &stretch) const;
  std::string checkCalls(const ThreadStretches &stretches, ArrayRef<const ThreadStretch *> looped);
  std::string checkGain(const ThreadStretches &stretches, ArrayRef<const ThreadStretch *> looped);
  DebugLoc placeIn(const ThreadStretch &stretch) const;
  void enclose(const ThreadStretch &stretch, StretchValues &values);

  Function &outlined_;
  ArrayRef<CallInst *> forks_;
  CallInst &fork_;
  Executor executor_;
  ThreadRows *rows_;
  FunctionAnalysisManager &functions_;
  Function *copy_ = nullptr;
  Instruction *self_ = nullptr;   ///< The thread, as calls want it.
  Instruction *team_ = nullptr;   ///< How many threads there are.
  Instruction *number_ = nullptr; ///< Which one this is.
  std::unique_ptr<ThreadDependence> dependence_;
  SmallVector<Accumulator, 2> accumulators_;
  DebugLoc place_;
  bool isWorthIt_ = false;
  std::uint64_t bytesKept_ = 0;
};

/// Puts variables and what is known of threads first.
void ThreadLooper::nameNumbers() {
  const BasicBlock::iterator place = gatherVariables(*copy_);
  BasicBlock &entry = copy_->getEntryBlock();
  IRBuilder<> build(&entry, place);
  self_ = build.CreateLoad(build.getInt32Ty(), copy_->getArg(0), "self");
  team_ = cast<Instruction>(build.CreateTrunc(copy_->getArg(copy_->arg_size() - 2),
                                              build.getInt32Ty(), "threads", /*IsNUW=*/true,
                                              /*IsNSW=*/true));
  auto *number = cast<Function>(
      copy_->getParent()->getOrInsertFunction(kNumber, build.getInt32Ty()).getCallee());
  number->setDoesNotAccessMemory();
  number->setDoesNotThrow();
  number->setWillReturn();
  number_ = build.CreateCall(number, {}, "number");
  dropLandings(*copy_);
  for (Instruction &inst : make_early_inc_range(instructions(*copy_))) {
    // That iterations touch nothing in common does not hold for those of one thread.
    inst.setMetadata(LLVMContext::MD_access_group, nullptr);
    if (isa<InvokeInst>(inst)) {
      continue;
    }
    Instruction *known = &inst == self_          ? nullptr
                         : asksForThread(inst)   ? number_
                         : asksForTeam(inst)     ? team_
                         : isThreadOfCalls(inst) ? self_
                                                 : nullptr;
    if (known) {
      inst.replaceAllUsesWith(known);
      inst.eraseFromParent();
    }
  }
}

/// Marks what each thread may call for itself in a loop that stays at home, so that others need
/// not.
void ThreadLooper::markCalls() {
  const TargetLibraryInfo &library = functions_.getResult<TargetLibraryAnalysis>(*copy_);
  for (Instruction &inst : instructions(*copy_)) {
    auto *call = dyn_cast<CallInst>(&inst);
    if (call && kindOf(inst) == CallKind::None && !mayStandInLoop(*call) &&
        isCallForItself(*call, library)) {
      call->addFnAttr(Attribute::get(copy_->getContext(), kForItself));
    }
  }
}

void ThreadLooper::simplify() {
  splitVariables(*copy_, functions_, SROAOptions::ModifyCFG);
  SimplifyCFGPass().run(*copy_, functions_);
  functions_.clear(*copy_, copy_->getName());
}

/// Whether each thread does something of its own in `stretch`.
bool ThreadLooper::needsLoop(const ThreadStretch &stretch) const {
  return any_of(stretch.blocks, [&](const BasicBlock *block) {
    return any_of(*block, [&](const Instruction &inst) {
      if (isa<AtomicRMWInst, AtomicCmpXchgInst>(inst) || kindOf(inst) == CallKind::Critical ||
          isForItself(inst)) {
        return true;
      }
      const auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
      if (!inst.mayWriteToMemory() || (intrinsic && (intrinsic->isLifetimeStartOrEnd() ||
                                                     intrinsic->isAssumeLikeIntrinsic()))) {
        return false;
      }
      return dependence_->isDivergent(*block) || any_of(inst.operands(), [&](const Use &operand) {
               const AllocaInst *variable =
                   operand->getType()->isPointerTy() ? variableOf(operand.get()) : nullptr;
               return dependence_->depends(*operand.get()) ||
                      (variable && dependence_->holdsDependent(*variable));
             });
    });
  });
}

/// Functions that are called for each thread must not ask who calls.
std::string ThreadLooper::checkCalls(const ThreadStretches &stretches,
                                     ArrayRef<const ThreadStretch *> looped) {
  for (Instruction &inst : instructions(*copy_)) {
    auto *call = dyn_cast<CallBase>(&inst);
    const auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
    if (!call || stretches.isOfOne(*inst.getParent()) || stretches.isLast(*inst.getParent()) ||
        &inst == number_ || (intrinsic && !inst.mayHaveSideEffects()) || call->doesNotReturn()) {
      continue; // Of ends of the program in a stretch its loop knows what they may do.
    }
    const bool isLooped =
        any_of(looped, [&](const ThreadStretch *stretch) { return stretch->contains(inst); });
    const CallKind kind = kindOf(inst);
    if (isLooped ? kind != CallKind::None && kind != CallKind::Critical
                 : kind == CallKind::Critical) {
      place_ = placeOf(*call);
      return describeCall(*call);
    }
    if (isForItself(inst) && (isLooped || any_of(stretches.loops(), [&](const ConductedLoop &loop) {
                                return loop.contains(inst);
                              }))) {
      continue;
    }
    if (kind == CallKind::None && !mayStandInLoop(*call) && !readsShared(*call) &&
        !isa<AnyMemIntrinsic>(inst) &&
        !(intrinsic && (intrinsic->isLifetimeStartOrEnd() || intrinsic->isAssumeLikeIntrinsic() ||
                        intrinsic->getIntrinsicID() == Intrinsic::stacksave ||
                        intrinsic->getIntrinsicID() == Intrinsic::stackrestore))) {
      place_ = placeOf(*call);
      return describeCall(*call);
    }
  }
  return {};
}

/// Whether `inst`, a call that a thread makes for itself, keeps its loop at home: all but output.
bool keepsHome(const Instruction &inst) {
  return isForItself(inst) && !asOutputCall(cast<CallInst>(inst));
}

/// Loops stay at home in which threads call something for themselves: there has to be another one.
std::string ThreadLooper::checkGain(const ThreadStretches &stretches,
                                    ArrayRef<const ThreadStretch *> looped) {
  const auto staysHome = [](const auto &blocks) {
    return any_of(blocks, [](const BasicBlock *block) { return any_of(*block, keepsHome); });
  };
  if (any_of(looped, [&](const ThreadStretch *each) { return !staysHome(each->blocks); }) ||
      any_of(stretches.loops(),
             [&](const ConductedLoop &each) { return !staysHome(each.blocks); })) {
    return {};
  }
  for (Instruction &inst : instructions(*copy_)) {
    if (keepsHome(inst) && !stretches.isOfOne(*inst.getParent())) {
      place_ = placeOf(cast<CallInst>(inst));
      return describeCall(cast<CallInst>(inst));
    }
  }
  return {};
}

/// Where `stretch` does something for others: that is the same with and without lines for
/// debuggers.
DebugLoc ThreadLooper::placeIn(const ThreadStretch &stretch) const {
  for (const Instruction &inst : instructions(*copy_)) {
    const auto *store = dyn_cast<StoreInst>(&inst);
    if (stretch.contains(inst) && (store || isa<AtomicRMWInst>(inst)) && inst.getDebugLoc() &&
        !inst.getDebugLoc().getInlinedAt() && !(store && variableOf(store->getPointerOperand()))) {
      return inst.getDebugLoc();
    }
  }
  DISubprogram *function = copy_->getSubprogram();
  const DebugLoc &fork = fork_.getDebugLoc();
  return function && fork ? DebugLoc(DILocation::get(copy_->getContext(), fork.getLine(),
                                                     fork.getCol(), function))
                          : DebugLoc();
}

/// Lets a loop over all numbers execute `stretch`.
void ThreadLooper::enclose(const ThreadStretch &stretch, StretchValues &values) {
  LLVMContext &context = copy_->getContext();
  BasicBlock *init = BasicBlock::Create(context, "numbers", copy_, stretch.first);
  BasicBlock *header = BasicBlock::Create(context, "number", copy_, stretch.first);
  BasicBlock *latch = BasicBlock::Create(context, "next", copy_, stretch.exit);
  BasicBlock *end = BasicBlock::Create(context, "done", copy_, stretch.exit);

  stretch.before->getTerminator()->replaceSuccessorWith(stretch.first, init);
  IRBuilder<> build(init);
  build.SetCurrentDebugLocation(placeIn(stretch));
  Value *final = build.CreateNSWSub(copy_->getArg(copy_->arg_size() - 2), build.getInt64(1));
  for (const Accumulator &each : accumulators_) {
    if (any_of(each.variable->users(),
               [&](const User *user) { return stretch.contains(*cast<Instruction>(user)); })) {
      each.begin->moveBefore(*init, init->end());
    }
  }
  NumberShare share{build.getInt64(0), final, nullptr};
  if (executor_ == Executor::Threads) {
    share = shareNumbers(build, fork_, *self_, *final);
    share.init->addFnAttr(Attribute::get(context, kOverThreads));
  }
  build.CreateCondBr(build.CreateICmpSGT(share.first, share.last), end, header);

  build.SetInsertPoint(header);
  PHINode *iteration = build.CreatePHI(build.getInt64Ty(), 2, "iteration");
  Value *number = build.CreateTrunc(iteration, build.getInt32Ty(), "number");
  values.give(build, stretch,
              {number, copy_->getArg(copy_->arg_size() - 2), copy_->getArg(copy_->arg_size() - 1)});
  build.CreateBr(stretch.first);
  stretch.first->replacePhiUsesWith(stretch.before, header);

  stretch.last->getTerminator()->replaceSuccessorWith(stretch.exit, latch);
  build.SetInsertPoint(latch);
  values.end(build, stretch);
  Value *next = build.CreateNSWAdd(iteration, build.getInt64(1));
  build.CreateCondBr(build.CreateICmpSLT(iteration, share.last), header, end);
  iteration->addIncoming(share.first, init);
  iteration->addIncoming(next, latch);

  build.SetInsertPoint(end);
  if (share.init) {
    endNumbers(build, fork_, *self_);
  }
  build.CreateBr(stretch.exit);
  stretch.exit->replacePhiUsesWith(stretch.last, end);
}

/// What is left of the construct one thread does as a team of one.
std::string ThreadLooper::executeAlone(const ThreadStretches &stretches) {
  if (any_of(instructions(*copy_),
             [](const Instruction &inst) { return kindOf(inst) == CallKind::Reduce; }) &&
      !reducesIntoTeam(*copy_, fork_)) {
    return "it reduces into a variable that teams share";
  }
  IRBuilder<> build(copy_->getContext());
  for (const ConductedLoop &loop : stretches.loops()) {
    std::string reason = takeShare(loop.calls, *build.getInt32(0), *build.getInt32(1));
    if (!reason.empty()) {
      place_ = placeOf(*loop.calls.init);
      return reason;
    }
  }
  answerOne(*copy_);
  conductAlone(*copy_);
  return {};
}

/// Lets every user compute the number of threads from the capture, of which the range is known.
void ThreadLooper::copyTeam() {
  SmallVector<Use *, 8> uses;
  for (Use &use : team_->uses()) {
    uses.push_back(&use);
  }
  for (Use *use : uses) {
    auto *user = cast<Instruction>(use->getUser());
    const auto *phi = dyn_cast<PHINode>(user);
    Instruction *copy = team_->clone();
    copy->insertBefore(phi ? phi->getIncomingBlock(*use)->getTerminator() : user);
    use->set(copy);
  }
}

std::string ThreadLooper::transform() {
  nameNumbers();
  if (rows_) {
    Argument *rows = copy_->getArg(copy_->arg_size() - 3);
    if (std::string reason = rows_->use(*copy_, *rows, *number_, forks_, place_); !reason.empty()) {
      return reason;
    }
  }
  // Before conditions are joined.
  nameFirsts(*copy_, *number_, *self_, *operandOf(fork_, Role::Place));
  if (executor_ == Executor::Threads) {
    markCalls();
  }
  simplify();
  if (std::string reason = whyNotByNumbers(*copy_, place_); !reason.empty()) {
    return reason;
  }
  bridgeEnds(*copy_);
  for (const SequencedLoop &loop : loopsOfThreads(*copy_, *number_)) {
    if (std::string reason = takeShare(loop, *number_, *team_); !reason.empty()) {
      place_ = placeOf(*loop.init);
      return reason;
    }
  }
  for (CallInst *reduce : reductionsOfThreads(*copy_)) {
    if (std::string reason = accumulate(*reduce, accumulators_); !reason.empty()) {
      place_ = placeOf(*reduce);
      return reason;
    }
  }
  simplify();
  ThreadStretches stretches(*copy_, *number_);
  if (std::string reason = stretches.cut(); !reason.empty()) {
    return reason;
  }
  dependence_ = std::make_unique<ThreadDependence>(*copy_);
  addThreads(*dependence_, *copy_, *number_);
  functions_.clear(*copy_, copy_->getName());
  StretchValues values(*copy_, *number_, stretches, *dependence_,
                       functions_.getResult<AAManager>(*copy_));
  isWorthIt_ = executor_ == Executor::Caller || !stretches.loops().empty();
  for (const Accumulator &each : accumulators_) {
    values.exempt(*each.variable);
  }
  for (const ThreadStretch &stretch : stretches.stretches()) {
    const bool combines = any_of(accumulators_, [&](const Accumulator &each) {
      return any_of(each.variable->users(),
                    [&](const User *user) { return stretch.contains(*cast<Instruction>(user)); });
    });
    if (combines || needsLoop(stretch)) {
      values.loop(stretch);
      isWorthIt_ = true;
    }
  }
  if (!isWorthIt_) {
    return {};
  }
  if (std::string reason = values.prepare(place_); !reason.empty()) {
    return reason;
  }
  if (std::string reason = checkCalls(stretches, values.looped()); !reason.empty()) {
    return reason;
  }
  if (std::string reason = checkGain(stretches, values.looped()); !reason.empty()) {
    return reason;
  }
  for (const ThreadStretch *stretch : values.looped()) {
    if (values.hasEffect(*stretch)) {
      enclose(*stretch, values);
    } else {
      stretch->before->getTerminator()->replaceSuccessorWith(stretch->first, stretch->exit);
      stretch->exit->replacePhiUsesWith(stretch->last, stretch->before);
      stretch->last->getTerminator()->eraseFromParent();
      new UnreachableInst(copy_->getContext(), stretch->last);
    }
  }
  values.settle();
  if (executor_ == Executor::Caller) {
    if (std::string reason = executeAlone(stretches); !reason.empty()) {
      return reason;
    }
  }
  copyTeam();
  for (Instruction &inst : instructions(*copy_)) {
    if (auto *call = dyn_cast<CallInst>(&inst)) {
      call->removeFnAttr(kForItself);
    }
  }
  removeUnreachableBlocks(*copy_);
  bytesKept_ = values.bytesKept();
  number_->replaceAllUsesWith(ConstantInt::get(number_->getType(), 0)); // Of no effect.
  number_->eraseFromParent();
  simplify(); // Loops begin in the block that prepares them.
  return {};
}

Function *ThreadLooper::create() {
  Function *team = withTeam(outlined_, rows_ != nullptr);
  copy_ = promotedCopy(*team, outlined_.getName() + ".threads", functions_);
  team->eraseFromParent();
  const std::string reason = transform();
  functions_.clear(*copy_, copy_->getName());
  if (!reason.empty()) {
    outlined_.addFnAttr(kNotByNumbers, reason + describePlace(place_));
  }
  if (!reason.empty() || !isWorthIt_) {
    copy_->eraseFromParent();
    return nullptr;
  }
  return copy_;
}

/// Forks `looped` in front of what `fork` does, with the number of threads that it would get,
/// memory for what each of them keeps, and `rows` of thread-private variables unless that is null.
/// `team` is null if that is asked for.
void forkLooped(CallInst &fork, Function &looped, std::uint64_t bytesKept, ThreadRows *rows,
                Value *team = nullptr) {
  Module &module = *fork.getModule();
  const ThreadRequests requests = threadRequests(fork);
  IRBuilder<> build(&fork);
  Type *i64 = build.getInt64Ty();
  if (!team) {
    Value *asked =
        requests.threads ? operandOf(*requests.threads, Role::Number) : build.getInt32(0);
    FunctionCallee size =
        module.getOrInsertFunction("tutti_team_size", build.getInt32Ty(), build.getInt32Ty());
    team = build.CreateZExt(build.CreateCall(size, asked), i64, "team");
  }
  Value *memory = ConstantPointerNull::get(build.getPtrTy());
  if (bytesKept > 0) {
    memory = build.CreateCall(module.getOrInsertFunction("tutti_malloc", build.getPtrTy(), i64),
                              build.CreateMul(team, build.getInt64(bytesKept)));
  }
  SmallVector<Value *, 16> operands(fork.args());
  operands[operandNumber(fork, Role::Outlined)] = &looped;
  Value *filled = rows ? rows->fill(build, fork, requests, *team) : nullptr;
  if (filled) {
    operands.push_back(filled);
    requests.repeat(build);
  }
  operands.append({team, memory});
  operands[kFirstCapture - 2] = build.getInt32(operands.size() - kFirstCapture);
  build.CreateCall(fork.getFunctionType(), fork.getCalledOperand(), operands);
  if (filled) {
    rows->takeBack(build, fork, requests, *team, *filled);
  }
  if (bytesKept > 0) {
    build.CreateCall(module.getOrInsertFunction("free", build.getVoidTy(), build.getPtrTy()),
                     memory);
  }
}

/// Puts `spread` in front of `fork`, of which it makes another version for several ranks, which
/// costs more than `fork` at home: so only if the runtime says that it may help, which knows what
/// became of it before.
void spreadFork(CallInst &fork, function_ref<void(CallInst &)> spread) {
  Module &module = *fork.getModule();
  Function *construct = outlinedOf(fork); // Stands for it.
  IRBuilder<> build(&fork);
  Value *isSpread = build.CreateIsNotNull(build.CreateCall(
      module.getOrInsertFunction("tutti_begin_spread", build.getInt32Ty(), build.getPtrTy()),
      construct));
  Instruction *onRanks = nullptr;
  Instruction *alone = nullptr;
  SplitBlockAndInsertIfThenElse(isSpread, &fork, &onRanks, &alone);
  auto *other = cast<CallInst>(fork.clone());
  other->insertBefore(onRanks);
  spread(*other);
  other->eraseFromParent();
  build.SetInsertPoint(onRanks);
  build.CreateCall(
      module.getOrInsertFunction("tutti_end_spread", build.getVoidTy(), build.getPtrTy()),
      construct);
  fork.moveBefore(alone);
}

/// Forks `looped` in place of what `fork` does; where variables have to be moved for that, only on
/// several ranks.
void replaceFork(CallInst &fork, Function &looped, std::uint64_t bytesKept, ThreadRows *rows) {
  if (!rows) {
    forkLooped(fork, looped, bytesKept, nullptr);
    fork.eraseFromParent();
    return;
  }
  spreadFork(fork, [&](CallInst &spread) { forkLooped(spread, looped, bytesKept, rows); });
}

/// The construct `outlined` takes slots: counts them first on several ranks, if that can be done.
bool spreadSlots(Function &outlined, ArrayRef<CallInst *> forks,
                 FunctionAnalysisManager &functions) {
  // Iterations of one thread have an order.
  if (any_of(forks, [](CallInst *fork) {
        const CallInst *request = threadRequests(*fork).threads;
        const auto *number =
            request ? dyn_cast<ConstantInt>(operandOf(*request, Role::Number)) : nullptr;
        return request && (!number || number->getSExtValue() < 2);
      })) {
    return false;
  }
  const DealtSlots slots = dealSlots(outlined, functions);
  if (!slots.count) {
    return false;
  }
  ThreadLooper count(*slots.count, forks, Executor::Threads, nullptr, functions);
  Function *counting = count.create();
  ThreadLooper take(*slots.take, forks, Executor::Threads, nullptr, functions);
  Function *taking = counting ? take.create() : nullptr;
  slots.count->eraseFromParent();
  slots.take->eraseFromParent();
  if (!taking) {
    if (counting) {
      counting->eraseFromParent();
    }
    return false;
  }
  for (CallInst *fork : forks) {
    spreadFork(*fork, [&](CallInst &spread) {
      Module &module = *spread.getModule();
      IRBuilder<> build(&spread);
      Type *i64 = build.getInt64Ty();
      Value *team = build.getInt64(kSlotBlocks);
      Value *counts =
          build.CreateCall(module.getOrInsertFunction("tutti_malloc", build.getPtrTy(), i64),
                           build.getInt64(kSlotCounts * sizeof(std::uint64_t)));
      const auto forkWithCounts = [&](Function &looped, std::uint64_t bytesKept) {
        SmallVector<Value *, 16> operands(spread.args());
        operands.push_back(counts);
        auto *more =
            build.CreateCall(spread.getFunctionType(), spread.getCalledOperand(), operands);
        forkLooped(*more, looped, bytesKept, nullptr, team);
        more->eraseFromParent();
      };
      const ThreadRequests requests = threadRequests(spread);
      forkWithCounts(*counting, count.bytesKept());
      slots.reserve(spread, spread, *counts);
      build.SetInsertPoint(&spread);
      requests.repeat(build);
      forkWithCounts(*taking, take.bytesKept());
      build.CreateCall(module.getOrInsertFunction("free", build.getVoidTy(), build.getPtrTy()),
                       counts);
    });
  }
  outlined.addFnAttr(kForOneRank);
  return true;
}

} // namespace

ThreadsInTurn takeTurns(CallInst &fork, FunctionAnalysisManager &functions) {
  CallInst *forks[] = {&fork};
  ThreadLooper looper(*outlinedOf(fork), forks, Executor::Caller, nullptr, functions);
  Function *function = looper.create();
  return {function, looper.bytesKept()};
}

PreservedAnalyses ThreadLoopsPass::run(Module &module, ModuleAnalysisManager &analyses) {
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  MapVector<Function *, SmallVector<CallInst *, 1>> constructs;
  SmallPtrSet<const Function *, 16> outlined;
  for (CallInst *fork : findForks(module, CallKind::Fork)) {
    outlined.insert(outlinedOf(*fork));
    constructs[outlinedOf(*fork)].push_back(fork);
  }
  for (const CallInst *fork : findForks(module, CallKind::ForkTeams)) {
    outlined.insert(outlinedOf(*fork));
  }
  bool changed = false;
  for (auto &[function, forks] : constructs) {
    // Inside of another construct a team has one thread, or is not distributed.
    ThreadRows rows(*function);
    if (any_of(forks,
               [&](const CallInst *fork) { return outlined.contains(fork->getFunction()); })) {
      continue;
    }
    if (!asksForThreads(*function) && rows.empty()) {
      changed |= spreadSlots(*function, forks, functions);
      continue;
    }
    changed = true;
    ThreadRows *used = rows.empty() ? nullptr : &rows;
    ThreadLooper looper(*function, forks, Executor::Threads, used, functions);
    if (Function *looped = looper.create()) {
      for (CallInst *fork : forks) {
        replaceFork(*fork, *looped, looper.bytesKept(), used);
      }
      if (used) {
        function->addFnAttr(kForOneRank);
      }
    }
  }
  if (Function *number = module.getFunction(kNumber)) {
    number->eraseFromParent();
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace tutti::compiler
