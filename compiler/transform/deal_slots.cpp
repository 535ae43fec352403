// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/deal_slots.h"

#include "compiler/analysis/construct_code.h"
#include "compiler/analysis/missing_functions.h"
#include "compiler/analysis/thread_dependence.h"
#include "compiler/analysis/thread_stretches.h"
#include "compiler/analysis/worksharing.h"
#include "compiler/ir/construct_calls.h"
#include "compiler/ir/forks.h"
#include "compiler/ir/function_copies.h"
#include "compiler/transform/number_loop.h"
#include "compiler/transform/thread_share.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Stands for a slot where slots are only counted.
constexpr const char *kSlot = "tutti.slot";

/// The number of a read, so that it is known in a copy.
constexpr const char *kRead = "tutti.read";

constexpr const char *kSum = "tutti.sum.slots";

bool isMark(const Instruction &inst) {
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
  return intrinsic && (intrinsic->isLifetimeStartOrEnd() || intrinsic->isAssumeLikeIntrinsic() ||
                       intrinsic->getIntrinsicID() == Intrinsic::stacksave ||
                       intrinsic->getIntrinsicID() == Intrinsic::stackrestore);
}

/// Whether `inst` changes nothing but private variables, if anything.
bool isPrivate(const Instruction &inst) {
  if (const auto *store = dyn_cast<StoreInst>(&inst)) {
    return variableOf(store->getPointerOperand()) != nullptr;
  }
  if (const auto *memory = dyn_cast<MemIntrinsic>(&inst)) {
    return variableOf(memory->getDest()) != nullptr;
  }
  if (const auto *call = dyn_cast<CallInst>(&inst)) {
    return isMark(inst) || mayStandInLoop(*call) || readsShared(*call);
  }
  return !inst.mayHaveSideEffects();
}

/// Whether `write` is atomic, of integers, which says nothing of types, and `load` is of something
/// else and does.
bool isOfOtherType(const Instruction &write, const LoadInst &load) {
  return isa<AtomicRMWInst>(write) && write.getType()->isIntegerTy() &&
         load.getMetadata(LLVMContext::MD_tbaa) &&
         (load.getType()->isFloatingPointTy() || load.getType()->isPointerTy());
}

/// Whether `loop` computes something from `phi`, which may come by way of others.
bool isUsedIn(const PHINode &phi, const Loop &loop) {
  SmallSetVector<const PHINode *, 4> work;
  work.insert(&phi);
  for (unsigned at = 0; at < work.size(); ++at) {
    for (const User *user : work[at]->users()) {
      const auto *other = dyn_cast<PHINode>(user);
      if (other) {
        work.insert(other);
      } else if (loop.contains(cast<Instruction>(user))) {
        return true;
      }
    }
  }
  return false;
}

/// Whether a construct that takes slots may call this of the library.
bool isOfLoop(CallKind kind) {
  switch (kind) {
  case CallKind::Reduce:
  case CallKind::EndReduce:
  case CallKind::EndReduceNow:
  case CallKind::Barrier:
  case CallKind::ThreadNumber:
    return true;
  default:
    return dealsIterations(kind);
  }
}

class Dealer {
public:
  Dealer(Function &copy, FunctionAnalysisManager &functions) : copy_(copy), functions_(functions) {}

  /// Makes `take` of the copy, and `count`. False if that is not right; nothing is left then but
  /// the copy, which is of no use.
  bool run();

  const DealtSlots &dealt() const { return dealt_; }

private:
  bool locate(AtomicRMWInst &inst, DealtSlots &found) const;
  bool findSlots();
  bool isSuitable();
  bool isFixed();
  bool makeCount();
  bool isIndependent(const Function &count, ArrayRef<Instruction *> reads,
                     ArrayRef<Instruction *> writes);
  void makeTake();
  Value *number(IRBuilder<> &build, StringRef function) const;

  Function &copy_;
  FunctionAnalysisManager &functions_;
  DealtSlots dealt_;
  SmallVector<AtomicRMWInst *, 2> slots_;
  SmallVector<AtomicRMWInst *, 2> others_; ///< Updates that nothing looks at.
  BasicBlock *iteration_ = nullptr;        ///< Where each iteration begins.
};

/// Where the counter of `inst` lies: in a variable that is captured or the program's, or where a
/// pointer in such a variable leads to.
bool Dealer::locate(AtomicRMWInst &inst, DealtSlots &found) const {
  const DataLayout &layout = copy_.getDataLayout();
  const auto baseOf = [&](Value *pointer, std::int64_t &offset) {
    APInt sum(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
    Value *base = pointer->stripAndAccumulateConstantOffsets(layout, sum, true);
    offset = sum.getSExtValue();
    return base;
  };
  found.type = inst.getType();
  Value *base = baseOf(inst.getPointerOperand(), found.offset);
  if (auto *load = dyn_cast<LoadInst>(base); load && load->isSimple()) {
    found.isFound = true;
    found.foundOffset = found.offset;
    base = baseOf(load->getPointerOperand(), found.offset);
  }
  if (auto *variable = dyn_cast<GlobalVariable>(base)) {
    found.variable = variable;
    return !variable->isThreadLocal();
  }
  const auto *argument = dyn_cast<Argument>(base);
  found.argument = argument ? argument->getArgNo() : 0;
  return argument && found.argument >= kThreadArguments && argument->getType()->isPointerTy();
}

bool isSame(const DealtSlots &one, const DealtSlots &other) {
  return one.type == other.type && one.variable == other.variable &&
         one.argument == other.argument && one.offset == other.offset &&
         one.isFound == other.isFound && one.foundOffset == other.foundOffset;
}

/// All that takes slots: from one counter.
bool Dealer::findSlots() {
  bool takes = false;
  for (Instruction &inst : instructions(copy_)) {
    auto *update = dyn_cast<AtomicRMWInst>(&inst);
    if (!update) {
      continue;
    }
    DealtSlots found;
    if (isStrongerThanMonotonic(update->getOrdering())) {
      return false; // What other iterations have done before may be looked at then.
    }
    const bool isAdded = update->getOperation() == AtomicRMWInst::Add && !update->isVolatile() &&
                         update->getType()->getIntegerBitWidth() >= 32 &&
                         update->getType()->getIntegerBitWidth() <= 64 && locate(*update, found);
    if (isAdded && (slots_.empty() ? !update->use_empty() : isSame(found, dealt_))) {
      dealt_ = found;
      slots_.push_back(update);
      takes |= !update->use_empty();
    } else if (update->use_empty()) {
      others_.push_back(update);
    } else {
      return false;
    }
  }
  return takes;
}

/// Whether all that threads do beside their loop is private, slots are all that iterations tell
/// each other, and no other update leads to the counter.
bool Dealer::isSuitable() {
  ConstructCode code(copy_, functions_);
  if (code.loops().size() != 1 || !code.isRegular() || !code.fileInstructions()) {
    return false;
  }
  const SequencedLoop &loop = code.loops().front();
  AAResults &aliases = functions_.getResult<AAManager>(copy_);
  const auto leadsToCounter = [&](const AtomicRMWInst *other) {
    return !code.isCombining(*other) &&
           !aliases.isNoAlias(MemoryLocation::get(other), MemoryLocation::get(slots_.front()));
  };
  if (any_of(others_, leadsToCounter)) {
    return false;
  }
  for (Instruction &inst : instructions(copy_)) {
    if (is_contained(slots_, &inst)) {
      if (code.owner(inst) != 0 || code.isSkipped(inst) != code.isSkipped(*slots_.front())) {
        return false;
      }
      continue;
    }
    const CallKind kind = kindOf(inst);
    const bool isBeside = code.owner(inst) == ConstructCode::kBeside;
    if (inst.isVolatile() || inst.isEHPad() || isa<InvokeInst, IndirectBrInst>(inst) ||
        (inst.isAtomic() && (isBeside || !isa<AtomicRMWInst>(inst)))) {
      return false;
    }
    if (kind != CallKind::None) {
      if (!isOfLoop(kind)) {
        return false;
      }
    } else if (!isPrivate(inst) && !inst.isAtomic() &&
               (isBeside || !isa<StoreInst, MemIntrinsic>(inst))) {
      return false;
    }
  }
  // Somebody may look at the counter in front of a barrier.
  if (any_of(instructions(copy_), [&](const Instruction &inst) {
        return kindOf(inst) == CallKind::Barrier && isPotentiallyReachable(&inst, loop.init);
      })) {
    return false;
  }
  const Schedule schedule = scheduleOf(*loop.init);
  const auto &loops = functions_.getResult<LoopAnalysis>(copy_);
  const Loop *around = loops.getLoopFor(slots_.front()->getParent());
  const unsigned depth = schedule == Schedule::Even && !loop.isDispatch() ? 1 : 2;
  while (around && around->getLoopDepth() > depth) {
    around = around->getParentLoop();
  }
  if (!around || around->getLoopDepth() != depth || loops.getLoopFor(loop.init->getParent())) {
    return false;
  }
  iteration_ = around->getHeader();
  // What an iteration leaves to the thread's next one: its number alone.
  const auto carried =
      count_if(iteration_->phis(), [&](const PHINode &phi) { return isUsedIn(phi, *around); });
  if (carried != 1) {
    return false;
  }
  return all_of(slots_, [&](const AtomicRMWInst *slot) { return around->contains(slot); });
}

/// Whether the pointer to the counter, if there is one, stays what it is in the construct.
bool Dealer::isFixed() {
  AAResults &aliases = functions_.getResult<AAManager>(copy_);
  for (AtomicRMWInst *slot : slots_) {
    const auto *pointer = dyn_cast<LoadInst>(getUnderlyingObject(slot->getPointerOperand(), 0));
    if (!pointer) {
      continue;
    }
    const MemoryLocation location = MemoryLocation::get(pointer);
    for (Instruction &inst : instructions(copy_)) {
      if (inst.mayWriteToMemory() && !isPrivate(inst) && kindOf(inst) == CallKind::None &&
          !is_contained(slots_, &inst) && isModSet(aliases.getModRefInfo(&inst, location))) {
        return false;
      }
    }
  }
  return true;
}

Value *Dealer::number(IRBuilder<> &build, StringRef function) const {
  return build.CreateCall(copy_.getParent()->getOrInsertFunction(function, build.getInt32Ty()));
}

/// Whether no way leads, within an iteration, from a write that is not made where slots are counted
/// to what still is read there: other iterations may not write what this one reads.
bool Dealer::isIndependent(const Function &count, ArrayRef<Instruction *> reads,
                           ArrayRef<Instruction *> writes) {
  AAResults &aliases = functions_.getResult<AAManager>(copy_);
  const auto &loops = functions_.getResult<LoopAnalysis>(copy_);
  const auto &dominators = functions_.getResult<DominatorTreeAnalysis>(copy_);
  SmallPtrSet<BasicBlock *, 1> others{iteration_};
  for (const Instruction &inst : instructions(count)) {
    const auto *load = dyn_cast<LoadInst>(&inst);
    if (!inst.mayReadFromMemory() || isMark(inst) || asksForThread(inst) || asksForTeam(inst)) {
      continue;
    }
    const MDNode *mark = inst.getMetadata(kRead);
    if (!mark && load && variableOf(load->getPointerOperand())) {
      continue; // Of the share.
    }
    if (!mark) {
      return false;
    }
    const auto at = mdconst::extract<ConstantInt>(mark->getOperand(0))->getZExtValue();
    for (Instruction *write : writes) {
      const bool mayChange =
          !load ||
          (!isOfOtherType(*write, *load) &&
           isModSet(aliases.getModRefInfo(write, MemoryLocation::get(cast<LoadInst>(reads[at])))));
      const bool isPrivate = load && variableOf(load->getPointerOperand());
      if (mayChange && isPotentiallyReachable(write, reads[at], isPrivate ? nullptr : &others,
                                              &dominators, &loops)) {
        return false;
      }
    }
  }
  return true;
}

/// A copy that has no effect but to count the slots of a share of the iterations.
bool Dealer::makeCount() {
  LLVMContext &context = copy_.getContext();
  SmallVector<Instruction *, 32> reads;
  SmallVector<Instruction *, 16> writes;
  for (Instruction &inst : instructions(copy_)) {
    if (inst.mayReadFromMemory() && kindOf(inst) == CallKind::None) {
      Metadata *at =
          ConstantAsMetadata::get(ConstantInt::get(Type::getInt64Ty(context), reads.size()));
      inst.setMetadata(kRead, MDNode::get(context, at));
      reads.push_back(&inst);
    }
    if (kindOf(inst) == CallKind::None && inst.mayWriteToMemory() && !isPrivate(inst)) {
      writes.push_back(&inst);
    }
  }
  ValueToValueMapTy map;
  Function *count = copyOf(copy_, copy_.getName() + ".count", map);
  for (Instruction *read : reads) {
    read->setMetadata(kRead, nullptr);
  }
  SmallVector<Instruction *, 16> dropped; // Handles of the map follow what they are replaced with.
  for (Instruction *write : writes) {
    dropped.push_back(cast<Instruction>(map[write]));
  }
  const BasicBlock::iterator place = gatherVariables(*count);
  IRBuilder<> build(&count->getEntryBlock(), place);
  Type *i64 = build.getInt64Ty();
  Value *taken = build.CreateAlloca(i64, nullptr, "taken");
  Value *times = build.CreateAlloca(i64, nullptr, "times");
  build.CreateStore(build.getInt64(0), taken);
  build.CreateStore(build.getInt64(0), times);
  Value *thread = number(build, "omp_get_thread_num");
  Value *threads = number(build, "omp_get_num_threads");
  const bool isShared = takeShare(sequencedLoops(*count).front(), *thread, *threads).empty();
  for (AtomicRMWInst *slot : slots_) {
    auto *copy = cast<AtomicRMWInst>(map[slot]);
    build.SetInsertPoint(copy);
    Value *sum =
        build.CreateAdd(build.CreateLoad(i64, taken), build.CreateSExt(copy->getValOperand(), i64));
    build.CreateStore(sum, taken);
    build.CreateStore(build.CreateAdd(build.CreateLoad(i64, times), build.getInt64(1)), times);
    if (!copy->use_empty()) {
      auto *slotOf =
          cast<Function>(copy_.getParent()
                             ->getOrInsertFunction(
                                 kSlot + ("." + Twine(copy->getType()->getIntegerBitWidth())).str(),
                                 copy->getType())
                             .getCallee());
      slotOf->setDoesNotAccessMemory();
      slotOf->setDoesNotThrow();
      slotOf->setWillReturn();
      copy->replaceAllUsesWith(build.CreateCall(slotOf));
    }
  }
  for (Instruction *write : dropped) {
    write->eraseFromParent();
  }
  for (Instruction &inst : make_early_inc_range(instructions(*count))) {
    const CallKind kind = kindOf(inst);
    if (kind == CallKind::Reduce) { // None of the threads combines.
      inst.replaceAllUsesWith(ConstantInt::get(inst.getType(), 0));
    }
    if (kind == CallKind::Reduce || kind == CallKind::Barrier || isEndReduce(kind)) {
      inst.eraseFromParent();
    } else if (auto *leave = dyn_cast<ReturnInst>(&inst)) {
      build.SetInsertPoint(leave);
      Value *at = build.CreateInBoundsGEP(i64, count->getArg(count->arg_size() - 1),
                                          build.CreateSExt(thread, i64));
      build.CreateStore(build.CreateLoad(i64, taken), at);
      build.CreateStore(build.CreateLoad(i64, times),
                        build.CreateConstInBoundsGEP1_64(i64, at, kSlotBlocks));
    }
  }
  removeUnreachableBlocks(*count);
  SROAPass(SROAOptions::PreserveCFG).run(*count, functions_); // What is reduced is of no use here.
  functions_.clear(*count, count->getName());
  ADCEPass().run(*count, functions_);
  functions_.clear(*count, count->getName());
  const bool looksAtSlots = any_of(instructions(*count), [](const Instruction &inst) {
    const auto *call = dyn_cast<CallInst>(&inst);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    return callee && callee->getName().starts_with(kSlot);
  });
  for (Function &function : make_early_inc_range(*copy_.getParent())) {
    if (function.getName().starts_with(kSlot) && function.use_empty()) {
      function.eraseFromParent();
    }
  }
  if (!isShared || looksAtSlots || !isIndependent(*count, reads, writes)) {
    count->eraseFromParent();
    return false;
  }
  for (Instruction &inst : instructions(*count)) {
    inst.setMetadata(kRead, nullptr);
  }
  count->addFnAttr(kCountsSlots);
  dealt_.count = count;
  return true;
}

/// Lets the copy take its slots from where its count says.
void Dealer::makeTake() {
  const BasicBlock::iterator place = gatherVariables(copy_);
  IRBuilder<> build(&copy_.getEntryBlock(), place);
  Type *i64 = build.getInt64Ty();
  Value *next = build.CreateAlloca(dealt_.type, nullptr, "slot");
  Value *thread = number(build, "omp_get_thread_num");
  Value *threads = number(build, "omp_get_num_threads");
  Value *counts = copy_.getArg(copy_.arg_size() - 1);
  Value *first =
      build.CreateLoad(i64, build.CreateConstInBoundsGEP1_64(i64, counts, 2 * kSlotBlocks));
  Value *before =
      build.CreateLoad(i64, build.CreateInBoundsGEP(i64, counts, build.CreateSExt(thread, i64)));
  Value *begin = build.CreateAdd(first, before);
  build.CreateStore(build.CreateTrunc(begin, dealt_.type), next);
  takeShare(sequencedLoops(copy_).front(), *thread, *threads);
  for (AtomicRMWInst *slot : slots_) {
    build.SetInsertPoint(slot);
    Value *old = build.CreateLoad(dealt_.type, next);
    build.CreateStore(build.CreateAdd(old, slot->getValOperand()), next);
    slot->replaceAllUsesWith(old);
    slot->eraseFromParent();
  }
  copy_.addFnAttr(kTakesSlots);
  dealt_.take = &copy_;
}

bool Dealer::run() {
  if (!findSlots() || !isSuitable() || !isFixed() || !makeCount()) {
    return false;
  }
  makeTake();
  return true;
}

/// `i64 sum(i64 *counts)`: puts into each of them the sum of those before, and returns the sum of
/// all.
Function *sumOf(Module &module) {
  if (Function *known = module.getFunction(kSum)) {
    return known;
  }
  LLVMContext &context = module.getContext();
  Type *i64 = Type::getInt64Ty(context);
  Function *sum = Function::Create(FunctionType::get(i64, {PointerType::getUnqual(context)}, false),
                                   GlobalValue::InternalLinkage, kSum, module);
  sum->setDoesNotThrow();
  BasicBlock *entry = BasicBlock::Create(context, "", sum);
  BasicBlock *body = BasicBlock::Create(context, "", sum);
  BasicBlock *end = BasicBlock::Create(context, "", sum);
  IRBuilder<> build(entry);
  build.CreateBr(body);
  build.SetInsertPoint(body);
  PHINode *block = build.CreatePHI(i64, 2);
  PHINode *before = build.CreatePHI(i64, 2);
  Value *at = build.CreateInBoundsGEP(i64, sum->getArg(0), block);
  Value *after = build.CreateAdd(before, build.CreateLoad(i64, at));
  build.CreateStore(before, at);
  Value *next = build.CreateNUWAdd(block, build.getInt64(1));
  build.CreateCondBr(build.CreateICmpULT(next, build.getInt64(kSlotBlocks)), body, end);
  block->addIncoming(build.getInt64(0), entry);
  block->addIncoming(next, body);
  before->addIncoming(build.getInt64(0), entry);
  before->addIncoming(after, body);
  build.SetInsertPoint(end);
  build.CreateRet(after);
  return sum;
}

} // namespace

DealtSlots dealSlots(Function &outlined, FunctionAnalysisManager &functions) {
  const bool takes = any_of(calledFunctions(outlined), [](const Function *called) {
    return any_of(instructions(*called), [](const Instruction &inst) {
      const auto *update = dyn_cast<AtomicRMWInst>(&inst);
      return update && update->getOperation() == AtomicRMWInst::Add && !update->use_empty();
    });
  });
  if (!takes) {
    return {};
  }
  Type *ptr = PointerType::getUnqual(outlined.getContext());
  Function *more = withCaptures(outlined, {ptr});
  Function *copy = promotedCopy(*more, outlined.getName() + ".slots", functions);
  more->eraseFromParent();
  Dealer dealer(*copy, functions);
  const bool isDealt = dealer.run();
  functions.clear(*copy, copy->getName());
  if (!isDealt) {
    copy->eraseFromParent();
    return {};
  }
  return dealer.dealt();
}

void DealtSlots::reserve(const CallInst &fork, Instruction &place, Value &counts) const {
  IRBuilder<> build(&place);
  Type *i64 = build.getInt64Ty();
  Function *sum = sumOf(*place.getModule());
  Value *total = build.CreateCall(sum, &counts);
  Value *times = build.CreateCall(sum, build.CreateConstInBoundsGEP1_64(i64, &counts, kSlotBlocks));
  // Where none is taken there may be no counter.
  build.SetInsertPoint(SplitBlockAndInsertIfThen(build.CreateIsNotNull(times), &place, false));
  Value *at = variable ? static_cast<Value *>(variable)
                       : fork.getArgOperand(argument - kThreadArguments + kFirstCapture);
  at = build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), at, offset);
  if (isFound) {
    at = build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), build.CreateLoad(build.getPtrTy(), at),
                                          foundOffset);
  }
  Value *first = build.CreateAtomicRMW(AtomicRMWInst::Add, at, build.CreateTrunc(total, type),
                                       MaybeAlign(), AtomicOrdering::Monotonic);
  build.CreateStore(build.CreateSExt(first, i64),
                    build.CreateConstInBoundsGEP1_64(i64, &counts, 2 * kSlotBlocks));
}

} // namespace tutti::compiler
