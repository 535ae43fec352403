// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/worksharing.h"

#include "compiler/analysis/endings.h"
#include "compiler/analysis/loop_sequence.h"
#include "compiler/analysis/source_names.h"
#include "compiler/analysis/teams.h"
#include "compiler/analysis/thread_stretches.h"
#include "compiler/ir/construct_calls.h"
#include "compiler/ir/function_copies.h"
#include "compiler/ir/library_functions.h"
#include "compiler/ir/output_calls.h"
#include "compiler/ir/private_memory.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

#include <vector>

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Whether this compiler divides the loop of `init` over ranks, as for its schedule: not if that is
/// `ordered` or deals out to teams.
bool isPlainSchedule(const CallInst &init) {
  const Schedule schedule = scheduleOf(init);
  return schedule == Schedule::Chunked || schedule == Schedule::Even ||
         schedule == Schedule::Dynamic;
}

/// Whether what `call` may write lies in memory of the calling thread, and what it reads there,
/// too, or as `readsShared` says in memory that all threads see, or in constants.
bool usesOwnMemory(const CallBase &call, const ArgumentUse &use, bool readsShared) {
  if (use.goesOn() && !isMarkedOwn(call)) {
    return false;
  }
  return all_of(call.args(), [&](const Use &arg) {
    const unsigned number = call.getArgOperandNo(&arg);
    const bool isRead = number < 32 && (use.onlyRead & 1U << number) != 0;
    const bool isData = arg->getType()->isPointerTy() && !isa<Function>(arg);
    return !isData || leadsToOwn(arg.get()) || (readsShared && isRead);
  });
}

std::string cannotInline(const Function &callee) {
  return "it calls '" + demangle(callee.getName().str()) + "', which cannot be analysed in place";
}

std::string describeConstruct(CallKind kind, const CallBase &call) {
  switch (kind) {
  case CallKind::Critical:
    return "it contains a critical section";
  case CallKind::Atomic:
    return "it contains an atomic update";
  case CallKind::Single:
    return "it contains a single, master or masked construct";
  case CallKind::Ordered:
    return "it contains an ordered construct";
  case CallKind::Task:
    return "it creates tasks";
  case CallKind::Fork:
  case CallKind::ForkTeams:
  case CallKind::OtherFork:
    return "it contains another parallel construct";
  case CallKind::ThreadPrivate:
    return "it uses thread-private variables";
  case CallKind::RequestThreads:
  case CallKind::RequestBinding:
  case CallKind::RequestTeams:
    return "it contains another parallel construct";
  default:
    const StringRef callee = call.getCalledFunction()->getName();
    const StringRef said = frontendOf(call).construct(callee);
    return said.empty()
               ? ("it uses an OpenMP construct that is not distributed (" + callee + ")").str()
               : ("it contains " + said).str();
  }
}

/// Files one call of a construct under `loop`. Returns false if it is none that a plain loop makes.
bool takeRuntimeCall(CallInst &call, Worksharing &loop, std::string &reason) {
  const CallKind kind = kindOf(call);
  if (isInit(kind)) {
    if (loop.init) {
      reason = "the parallel construct holds more than one worksharing loop" +
               whyWhole(*call.getFunction());
    } else if (!isPlainSchedule(call)) {
      reason = "the loop has an ordered clause or a schedule that is not distributed";
    }
    loop.init = &call;
    return true;
  }
  if (kind == CallKind::DispatchNext) {
    loop.next.push_back(&call);
    return true;
  }
  if (kind == CallKind::Reduce) {
    loop.reduce.push_back(&call);
    if (loop.reduce.size() > 1) {
      reason = "the parallel construct holds more than one reduction";
    }
    return true;
  }
  if (kind == CallKind::StaticEnd || kind == CallKind::DispatchPiece ||
      kind == CallKind::DispatchEnd || isEndReduce(kind) || kind == CallKind::Barrier) {
    loop.bookkeeping.push_back(&call);
    return true;
  }
  return kind == CallKind::ThreadNumber;
}

bool isHarmlessIntrinsic(const IntrinsicInst &intrinsic) {
  switch (intrinsic.getIntrinsicID()) {
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::stacksave:
  case Intrinsic::stackrestore:
  case Intrinsic::assume:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::prefetch:
  case Intrinsic::pseudoprobe:
    return true;
  default:
    return isa<DbgInfoIntrinsic>(intrinsic) || isa<AnyMemIntrinsic>(intrinsic) ||
           intrinsic.doesNotAccessMemory();
  }
}

} // namespace

std::string describeCall(const CallBase &call) {
  if (call.isInlineAsm()) {
    return "it contains inline assembly";
  }
  const Function *callee = call.getCalledFunction();
  if (!callee) {
    return "it calls a function through a pointer";
  }
  const StringRef name = callee->getName();
  if (const CallKind kind = kindOf(callee); kind != CallKind::None) {
    return describeConstruct(kind, call) +
           (kind == CallKind::Single ? whyWhole(*call.getFunction()) : "");
  }
  if (name.starts_with("tutti_launch")) {
    return "it contains another parallel construct";
  }
  if (name.starts_with("llvm.threadlocal")) {
    return "it uses thread-private variables";
  }
  if (name.starts_with("omp_")) {
    return name.ends_with("_lock")
               ? "its threads take turns by locks"
               : ("it calls '" + name + "', whose answer depends on where it is called").str();
  }
  static const StringSet<> kAllocation = {"aligned_alloc", "calloc",         "free",
                                          "malloc",        "posix_memalign", "realloc"};
  if (kAllocation.contains(name) || name.starts_with("_Zn") || name.starts_with("_Zd")) {
    return "it allocates or frees memory with '" + demangle(name.str()) + "'";
  }
  if (isThrow(name)) {
    return "it may throw an exception";
  }
  if (std::string reason = whyNoOutput(call); !reason.empty()) {
    return reason;
  }
  if (isa<InvokeInst>(call)) {
    return "it calls '" + demangle(name.str()) + "', which may throw an exception";
  }
  if (callee->isDeclaration() && argumentUse(call)) {
    return "it calls '" + demangle(name.str()) + "' on memory that is not the iteration's own";
  }
  static const StringSet<> kDrawing = {"drand48", "lrand48", "mrand48", "rand", "random"};
  if (callee->isDeclaration() && kDrawing.contains(name)) {
    return ("it calls '" + name + "', which draws from a sequence that all threads share").str();
  }
  return callee->isDeclaration()
             ? "it calls '" + demangle(name.str()) + "', which is not defined in this file"
             : cannotInline(*callee);
}

bool mayStandInLoop(const CallBase &base) {
  const auto *call = dyn_cast<CallInst>(&base);
  const Function *callee = base.getCalledFunction();
  if (!call || !callee || kindOf(callee) != CallKind::None) {
    return false;
  }
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(call)) {
    return isHarmlessIntrinsic(*intrinsic) && !isa<AnyMemIntrinsic>(intrinsic);
  }
  if (isPrivateMemoryCall(*call)) {
    return true;
  }
  const bool computes = call->doesNotAccessMemory() && call->doesNotThrow() &&
                        callee->isDeclaration() && !callee->getName().starts_with("omp_");
  const auto use = argumentUse(*call);
  return computes || (use && usesOwnMemory(*call, *use, /*readsShared=*/false));
}

bool readsShared(const CallBase &call) {
  const auto use = isa<CallInst>(call) ? argumentUse(call) : std::nullopt;
  return use && use->onlyRead != 0 && usesOwnMemory(call, *use, /*readsShared=*/true);
}

Type *Worksharing::counterType() const {
  return Type::getIntNTy(init->getContext(),
                         frontendOf(*init).counterBits(init->getCalledFunction()->getName()));
}

bool Worksharing::isUnsigned() const {
  return frontendOf(*init).isUnsigned(init->getCalledFunction()->getName());
}

Value *Worksharing::lastIteration() const {
  if (isDispatch()) {
    return operandOf(*init, Role::Upper);
  }
  return storedBefore(operandOf(*init, Role::Upper));
}

Value *Worksharing::storedBefore(const Value *variable) const {
  for (Instruction *inst = init->getPrevNode(); inst; inst = inst->getPrevNode()) {
    if (auto *store = dyn_cast<StoreInst>(inst); store && store->getPointerOperand() == variable) {
      return store->getValueOperand();
    }
  }
  // Between the store and `init` may be loops that prepare private arrays.
  const DominatorTree dominators(*init->getFunction());
  const LoopInfo loops(dominators);
  const StoreInst *found = nullptr;
  for (const User *user : variable->users()) {
    const auto *store = dyn_cast<StoreInst>(user);
    if (!store || store->getPointerOperand() != variable || dominators.dominates(init, store)) {
      continue;
    }
    const bool isSure = dominators.dominates(store, init) &&
                        loops.getLoopFor(store->getParent()) == loops.getLoopFor(init->getParent());
    if (!isSure) {
      return nullptr;
    }
    if (!found || dominators.dominates(found, store)) {
      found = store;
    }
  }
  return found ? const_cast<Value *>(found->getValueOperand()) : nullptr;
}

bool Worksharing::isOverThreads() const { return init->hasFnAttr(kOverThreads); }

bool Worksharing::startsAtZero() const {
  const Value *lower = operandOf(*init, Role::Lower);
  const Value *first = isDispatch() ? lower : storedBefore(lower);
  const auto *constant = dyn_cast_or_null<Constant>(first);
  return constant && constant->isNullValue();
}

WorksharingOrReason findWorksharing(Function &outlined) {
  WorksharingOrReason found;
  const auto endings = findEndings(outlined);
  for (Instruction &inst : instructions(outlined)) {
    if (endings.contains(inst.getParent())) {
      continue;
    }
    if (inst.isAtomic() && !isa<FenceInst>(inst)) {
      continue; // Reported with its address by the access analysis; reductions have some, too.
    }
    if (isa<IndirectBrInst>(inst)) {
      // The places that it may lead to are those of one function, not of its copies.
      found.reason = "it jumps to computed places";
      found.location = inst.getDebugLoc();
      return found;
    }
    auto *base = dyn_cast<CallBase>(&inst);
    const auto leadsToStream = [](const Use &operand) {
      return operand->getType()->isPointerTy() && isStreamObject(operand->stripInBoundsOffsets());
    };
    if (!(base && base->getCalledFunction() && isInsertion(*base->getCalledFunction())) &&
        any_of(inst.operands(), leadsToStream)) {
      found.reason = "it looks into a stream of the C++ library, or changes how it prints";
      found.location = inst.getDebugLoc();
      return found;
    }
    if (!base) {
      continue;
    }
    auto *call = dyn_cast<CallInst>(base);
    const Function *callee = base->getCalledFunction();
    found.location = placeOf(*base);
    const StringRef why = outlined.getFnAttribute(kNotByNumbers).getValueAsString();
    if (!why.empty() && asksForTeams(*base)) {
      found.reason = ("it asks for the numbers of its threads, and " + why).str();
      found.location = {}; // That of the reason is known.
      return found;
    }
    if (!call || !callee) {
      found.reason = describeCall(*base);
      return found;
    }
    if (const auto *intrinsic = dyn_cast<IntrinsicInst>(call)) {
      if (isHarmlessIntrinsic(*intrinsic)) {
        continue;
      }
    } else if (kindOf(callee) != CallKind::None) {
      if (takeRuntimeCall(*call, found.loop, found.reason)) {
        if (!found.reason.empty()) {
          return found;
        }
        continue;
      }
    } else if (mayStandInLoop(*call) || readsShared(*call)) {
      continue;
    }
    if (!why.empty() && kindOf(*call) != CallKind::None) {
      found.reason = ("it asks for the numbers of its threads, and " + why).str();
      found.location = {};
      return found;
    }
    found.reason = describeCall(*call);
    return found;
  }
  found.location = {};
  if (!found.loop.init) {
    found.reason = "the parallel construct holds no worksharing loop";
  } else if (!found.loop.isDispatch() && kindOf(*found.loop.init) == CallKind::DispatchInit) {
    found.reason = "its worksharing loop never runs";
  } else if (!found.loop.lastIteration()) {
    found.reason = "its number of iterations is not in closed form";
  } else if (!found.loop.startsAtZero()) {
    found.reason = "its iterations are a part of those of a teams construct";
  }
  return found;
}

bool holdsReduction(const Function &function) {
  return any_of(instructions(function),
                [](const Instruction &inst) { return kindOf(inst) == CallKind::Reduce; });
}

void dropAtomicReductions(Function &function) {
  for (Instruction &inst : make_early_inc_range(instructions(function))) {
    if (kindOf(inst) != CallKind::Reduce) {
      continue;
    }
    for (User *user : inst.users()) {
      auto *choice = dyn_cast<SwitchInst>(user);
      if (!choice) {
        continue;
      }
      auto atomic = choice->findCaseValue(ConstantInt::get(cast<IntegerType>(inst.getType()), 2));
      if (atomic != choice->case_default()) {
        atomic->getCaseSuccessor()->removePredecessor(choice->getParent());
        choice->removeCase(atomic);
      }
    }
  }
  removeUnreachableBlocks(function);
}

void dropProbes(Function &function) {
  for (Instruction &inst : make_early_inc_range(instructions(function))) {
    if (isa<PseudoProbeInst>(inst)) {
      inst.eraseFromParent();
    }
  }
}

namespace {

/// Whether `invoke` calls what throws nothing, and is not inlined.
bool isCalm(const InvokeInst &invoke, const Function &callee) {
  if (!callee.isDeclaration()) {
    return isInsertion(callee);
  }
  const auto use = argumentUse(invoke);
  return (use && !use->goesOn()) || asOutputCall(invoke);
}

/// Functions that may be put in the place of their calls, in one function.
class Inlined {
public:
  explicit Inlined(Function &function) : function_(function) {}

  bool takesPlace(const Function &callee) const {
    return &callee != &function_ && !callee.isDeclaration() && !callee.isInterposable() &&
           !isInsertion(callee) && !callee.hasFnAttribute(kOwnConductor) &&
           !callee.getName().starts_with("__clang_call_terminate");
  }

  /// Whether calls of `callee`, which could be put in their place, stay.
  bool staysCalled(const Function &callee) {
    const auto [known, isNew] = inPlace_.try_emplace(&callee, false);
    if (isNew) {
      known->second = isCalledInPlace(callee);
    }
    return known->second;
  }

  /// Puts the callee of `call` in its place. Whether that could be done, and was not too much.
  bool take(CallBase &call);

private:
  /// A callee in the place of its call, and the callee from which the call came.
  struct Place {
    const Function *callee;
    int outer; ///< Of `places_`; -1 if the call was the function's own.
  };

  bool leadsBack(const Function &callee, int outer) const;

  Function &function_;
  std::vector<Place> places_;
  SmallDenseMap<const CallBase *, int> came_; ///< Of calls from callees: with which of `places_`.
  unsigned recursions_ = 0;
  SmallDenseMap<const Function *, bool> inPlace_;
  SmallDenseMap<const Function *, unsigned> sizes_;
  unsigned size_ = function_.getInstructionCount(); ///< Or more: some of a callee may be dropped.
  unsigned taken_ = 0;
};

/// Whether `callee` is in one of the places around a call.
bool Inlined::leadsBack(const Function &callee, int outer) const {
  for (; outer >= 0; outer = places_[static_cast<std::size_t>(outer)].outer) {
    if (places_[static_cast<std::size_t>(outer)].callee == &callee) {
      return true;
    }
  }
  return false;
}

bool Inlined::take(CallBase &call) {
  constexpr unsigned kMaxInlined = 1024;
  constexpr unsigned kMaxInstructions = 50000;
  // Calls that lead back to each other end where their arguments are constants, or never.
  constexpr unsigned kMaxRecursions = 32;
  const Function &callee = *call.getCalledFunction();
  const auto came = came_.find(&call);
  const int outer = came == came_.end() ? -1 : came->second;
  recursions_ += leadsBack(callee, outer) ? 1 : 0;
  if (recursions_ > kMaxRecursions) {
    return false;
  }
  const auto [size, isNew] = sizes_.try_emplace(&callee, 0);
  if (isNew) {
    size->second = callee.getInstructionCount();
  }
  InlineFunctionInfo info;
  if (taken_++ == kMaxInlined || !InlineFunction(call, info).isSuccess()) {
    return false;
  }
  came_.erase(&call);
  for (const CallBase *inner : info.InlinedCallSites) {
    came_[inner] = static_cast<int>(places_.size());
  }
  places_.push_back({&callee, outer});
  size_ += size->second;
  if (size_ > kMaxInstructions) {
    size_ = function_.getInstructionCount();
  }
  return size_ <= kMaxInstructions;
}

} // namespace

std::string inlineCallees(Function &function) {
  Inlined inlined(function);
  for (auto block = function.begin(); block != function.end(); ++block) {
    for (auto inst = block->begin(); inst != block->end();) {
      auto *call = dyn_cast<CallBase>(&*inst++);
      Function *callee = call ? call->getCalledFunction() : nullptr;
      if (!callee) {
        continue;
      }
      auto *invoke = dyn_cast<InvokeInst>(call);
      if (!inlined.takesPlace(*callee) || inlined.staysCalled(*callee)) {
        if (invoke && (inlined.takesPlace(*callee) || isCalm(*invoke, *callee))) {
          changeToCall(invoke); // It throws nothing.
          break;
        }
        continue;
      }
      // What takes its place begins in this block, and goes on in blocks behind it.
      Instruction *before = call->getPrevNode();
      if (!inlined.take(*call)) {
        return cannotInline(*callee);
      }
      inst = before ? std::next(before->getIterator()) : block->begin();
    }
  }
  removeUnreachableBlocks(function); // Where nothing comes that throws.
  return {};
}

Function *promotedCopy(Function &function, const Twine &name, FunctionAnalysisManager &analyses) {
  ValueToValueMapTy map;
  Function *copy = copyOf(function, name, map);
  inlineCallees(*copy).clear(); // What could not be inlined is looked at as a call.
  removeUnreachableBlocks(*copy);
  SROAPass(SROAOptions::ModifyCFG).run(*copy, analyses);
  analyses.clear(*copy, copy->getName());
  return copy;
}

void loadPointersAsPointers(Function &function) {
  const DataLayout &layout = function.getDataLayout();
  for (Instruction &inst : make_early_inc_range(instructions(function))) {
    if (auto *taken = dyn_cast<ExtractValueInst>(&inst)) {
      if (Value *put = FindInsertedValue(taken->getAggregateOperand(), taken->getIndices())) {
        taken->replaceAllUsesWith(put);
        taken->eraseFromParent();
      }
      continue;
    }
    auto *cast = dyn_cast<IntToPtrInst>(&inst);
    if (!cast || !cast->isNoopCast(layout)) {
      continue;
    }
    if (const auto *number = dyn_cast<PtrToIntInst>(cast->getOperand(0));
        number && number->getOperand(0)->getType() == cast->getType()) {
      cast->replaceAllUsesWith(number->getOperand(0));
      cast->eraseFromParent();
      continue;
    }
    auto *bits = dyn_cast<LoadInst>(cast->getOperand(0));
    if (!bits || !bits->isSimple()) {
      continue;
    }
    auto *pointer = new LoadInst(cast->getType(), bits->getPointerOperand(), "", false,
                                 bits->getAlign(), bits->getIterator());
    pointer->takeName(cast);
    pointer->setDebugLoc(bits->getDebugLoc());
    pointer->setMetadata(LLVMContext::MD_tbaa, bits->getMetadata(LLVMContext::MD_tbaa));
    cast->replaceAllUsesWith(pointer);
    cast->eraseFromParent();
    RecursivelyDeleteTriviallyDeadInstructions(bits);
  }
}

void loadBitsAsBytes(Function &function) {
  for (Instruction &inst : make_early_inc_range(instructions(function))) {
    auto *bit = dyn_cast<LoadInst>(&inst);
    if (!bit || !bit->isSimple() || !bit->getType()->isIntegerTy(1)) {
      continue;
    }
    IRBuilder<> build(bit);
    Value *byte =
        build.CreateAlignedLoad(build.getInt8Ty(), bit->getPointerOperand(), bit->getAlign());
    Value *value = build.CreateTrunc(byte, bit->getType());
    value->takeName(bit);
    bit->replaceAllUsesWith(value);
    bit->eraseFromParent();
  }
}

} // namespace tutti::compiler
