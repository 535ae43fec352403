// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/kernel_body.h"

#include "abi/abi.h"
#include "compiler/analysis/access_numbers.h"
#include "compiler/ir/construct_calls.h"
#include "compiler/ir/entry_points.h"
#include "compiler/ir/kernel.h"
#include "compiler/transform/chosen_addresses.h"
#include "compiler/transform/device_pointers.h"
#include "compiler/transform/group_reduction.h"
#include "compiler/transform/library_calls.h"
#include "compiler/transform/pointer_checks.h"
#include "compiler/transform/reported_reads.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

constexpr std::uint64_t kMaxPrivateBytes = 16384;
constexpr std::uint64_t kMaxConstantBytes = 65536;
constexpr unsigned kMaxParameters = 128;

template <typename T> T *mapped(const ValueToValueMapTy &map, T *original) {
  return cast<T>(&*map.lookup(original));
}

/// Removes calls that mean nothing on a device.
void dropHostCalls(Function &function) {
  for (Instruction &inst : make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<CallInst>(&inst);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    if (!callee) {
      continue;
    }
    const Intrinsic::ID id = callee->getIntrinsicID();
    if (kindOf(callee) == CallKind::ThreadNumber) {
      call->replaceAllUsesWith(PoisonValue::get(call->getType()));
      call->eraseFromParent();
    } else if (id == Intrinsic::stacksave) {
      // Private variables have places of their own: those of variable size keep a loop from
      // devices, and so does one that is made anew in each iteration.
      call->replaceAllUsesWith(PoisonValue::get(call->getType()));
      call->eraseFromParent();
    } else if (id == Intrinsic::assume || id == Intrinsic::experimental_noalias_scope_decl ||
               id == Intrinsic::prefetch || id == Intrinsic::stackrestore) {
      call->eraseFromParent();
    }
  }
}

} // namespace

KernelBody::KernelBody(KernelModule &kernels, Function &prepared, const Worksharing &loop,
                       ChunkModel &model, FunctionAnalysisManager &analyses, bool chases)
    : kernels_(kernels), loop_(loop), model_(model), analyses_(analyses), prepared_(prepared),
      chases_(chases), captures_(prepared.arg_size() - 2) {
  LLVMContext &context = prepared.getContext();
  Type *counter = loop.counterType();
  Type *i64 = Type::getInt64Ty(context);
  Type *ptr = PointerType::getUnqual(context);
  SmallVector<Type *, 32> params(prepared.getFunctionType()->params());
  params.append({Type::getInt32Ty(context), counter, counter, counter, ptr, i64, i64, ptr});
  for (LoadInst *value : model.values()) {
    params.push_back(value->getType());
  }
  function_ = Function::Create(FunctionType::get(Type::getVoidTy(context), params, false),
                               GlobalValue::InternalLinkage, "body", kernels.module());
  Argument *next = function_->getArg(prepared.arg_size());
  for (Argument **argument :
       {&isLast_, &lower_, &upper_, &stride_, &arena_, &low_, &high_, &partials_}) {
    *argument = next++;
  }
  for (std::size_t index = 0; index < model.values().size(); ++index) {
    values_.push_back(next++);
  }
}

std::string KernelBody::build() {
  if (kernel::FirstCapture + captures_ + values_.size() > kMaxParameters) {
    return "it needs more than 128 kernel parameters";
  }
  ValueToValueMapTy map;
  for (Argument &argument : prepared_.args()) {
    map[&argument] = function_->getArg(argument.getArgNo());
  }
  kernels_.copyBody(prepared_, *function_, map);
  expandLibraryCalls(*function_);
  const unsigned bits = lower_->getType()->getIntegerBitWidth();
  const ConstantRange bounds(APInt::getZero(bits), APInt::getSignedMaxValue(bits));
  for (Argument *bound : {lower_, upper_}) {
    bound->addAttr(Attribute::get(function_->getContext(), Attribute::Range, bounds));
  }
  std::string reason = replaceRuntimeCalls(map);
  if (!reason.empty()) {
    return reason;
  }
  formChunkLoop(*function_, chunkBounds(), analyses_);
  replaceValues();
  closeAddresses();
  replaceValues();
  reason = findChunkLoop();
  if (reason.empty()) {
    reason = checkMemory();
  }
  if (reason.empty()) {
    reason = checkUses();
  }
  if (reason.empty() && chases_) {
    GlobalVariable *reach = EntryPoints(*prepared_.getParent()).reach();
    markFoundPointers(*function_, *cast<GlobalVariable>(kernels_.standIn(*reach)), analyses_);
  }
  if (reason.empty()) {
    reason = collectSymbols();
  }
  return reason.empty() ? checkReduction() : reason;
}

/// The combiner with all that it calls.
Function *KernelBody::importCombine(Function &combine) {
  ValueToValueMapTy map;
  Function *whole = CloneFunction(&combine, map);
  Function *copy = nullptr;
  if (inlineCallees(*whole).empty()) {
    separateChosenAddresses(*whole);
    copy = Function::Create(combine.getFunctionType(), GlobalValue::InternalLinkage, "combine",
                            kernels_.module());
    ValueToValueMapTy arguments;
    for (Argument &argument : whole->args()) {
      arguments[&argument] = copy->getArg(argument.getArgNo());
    }
    kernels_.copyBody(*whole, *copy, arguments);
    expandLibraryCalls(*copy);
  }
  whole->eraseFromParent();
  return copy;
}

std::string KernelBody::replaceRuntimeCalls(ValueToValueMapTy &map) {
  for (CallInst *original : loop_.reduce) {
    CallInst *reduce = mapped(map, original);
    const PartialLayout partials = layOutPartials(*reduce);
    if (!partials.reason.empty()) {
      return partials.reason;
    }
    auto *combine = dyn_cast<Function>(operandOf(*original, Role::Combine)->stripPointerCasts());
    Function *copy = combine && !combine->isDeclaration() ? importCombine(*combine) : nullptr;
    if (!copy) {
      return "its reduction calls functions that cannot be analysed in place";
    }
    reduceInGroup(*reduce, *copy, *partials_);
    const auto isElsewhere = [](const GlobalVariable *used) { return !used->hasInitializer(); };
    if (none_of(variablesOf(*copy), isElsewhere)) {
      combiner_ = createCombiner(partials, *copy);
    }
    for (User *user : make_early_inc_range(copy->users())) {
      InlineFunctionInfo info;
      InlineFunction(*cast<CallInst>(user), info);
    }
    copy->eraseFromParent();
  }
  takeChunk(*function_, loop_, map, chunkBounds());
  dropHostCalls(*function_);
  if (combiner_) {
    dropHostCalls(*combiner_);
  }
  return {};
}

/// What a sum over all iterations is, is of no use to work-items that execute some of them.
void KernelBody::closeAddresses() {
  compiler::closeAddresses(*function_, analyses_, /*closesSums=*/loop_.reduce.empty());
}

Instruction *KernelBody::entryEnd() { return function_->getEntryBlock().getTerminator(); }

/// From what the model's addresses are made of to the same in the body.
void KernelBody::mapModel(ValueToValueMapTy &map) {
  kernels_.import(model_.function(), map);
  for (unsigned index = 0; index < 2 + captures_; ++index) {
    map[model_.function().getArg(index)] = function_->getArg(index);
  }
  for (auto [load, argument] : zip_equal(model_.values(), values_)) {
    map[load] = argument;
  }
}

/// Loads of values become arguments, wherever they stand, also where they have been joined with
/// loads of something else.
void KernelBody::replaceValues() {
  if (separateChosenAddresses(*function_)) {
    restoreLoops(*function_, analyses_);
  }
  ValueToValueMapTy map;
  mapModel(map);
  // Some are made of others, and of loads that are replaced.
  SmallVector<WeakTrackingVH, 16> addresses;
  for (LoadInst *value : model_.values()) {
    addresses.push_back(copyComputation(value->getPointerOperand(), map, entryEnd()));
  }
  auto &scev = analyses_.getResult<ScalarEvolutionAnalysis>(*function_);
  const DataLayout &layout = function_->getDataLayout();
  bool changed = true;
  while (changed) {
    changed = false;
    for (Instruction &inst : make_early_inc_range(instructions(*function_))) {
      auto *load = dyn_cast<LoadInst>(&inst);
      if (!load || !load->isSimple() ||
          kernelMemory(load->getPointerOperand(), partials_) != KernelMemory::Shared) {
        continue;
      }
      const SCEV *address = scev.getSCEV(load->getPointerOperand());
      Argument *found = nullptr;
      for (auto [known, value] : zip_equal(addresses, values_)) {
        if (scev.getSCEV(known) == address &&
            layout.getTypeStoreSize(value->getType()) == layout.getTypeStoreSize(load->getType()) &&
            (!found || value->getType() == load->getType())) {
          found = value;
        }
      }
      if (!found) {
        continue;
      }
      IRBuilder<> build(&*function_->getEntryBlock().getFirstInsertionPt());
      Value *value = build.CreateBitOrPointerCast(found, load->getType());
      scev.forgetValue(load);
      load->replaceAllUsesWith(value);
      load->eraseFromParent();
      changed = true;
    }
  }
  analyses_.invalidate(*function_, PreservedAnalyses::none());
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(addresses);
}

std::string KernelBody::findChunkLoop() {
  auto &loops = analyses_.getResult<LoopAnalysis>(*function_);
  auto &scev = analyses_.getResult<ScalarEvolutionAnalysis>(*function_);
  SmallVector<Loop *, 1> found;
  for (Loop *loop : loops) {
    const SCEV *count = scev.getBackedgeTakenCount(loop);
    if (!isa<SCEVCouldNotCompute>(count) && SCEVExprContains(count, [this](const SCEV *part) {
          const auto *unknown = dyn_cast<SCEVUnknown>(part);
          return unknown && (unknown->getValue() == lower_ || unknown->getValue() == upper_);
        })) {
      found.push_back(loop);
    }
  }
  if (found.size() != 1) {
    return "its loop has a form that kernels cannot divide";
  }
  chunkLoop_ = found.front()->getHeader();
  return {};
}

std::string KernelBody::checkMemory() {
  ValueToValueMapTy map;
  mapModel(map);
  ReportedReads reported(model_, *function_, map, analyses_);
  std::uint64_t privateBytes = 0;
  for (Instruction &inst : instructions(*function_)) {
    if (auto *alloca = dyn_cast<AllocaInst>(&inst)) {
      const auto size = alloca->getAllocationSize(function_->getDataLayout());
      if (!alloca->isStaticAlloca() || !size) {
        return "it allocates private memory of variable size";
      }
      privateBytes += size->getFixedValue();
      if (privateBytes > kMaxPrivateBytes) {
        return "its private variables take more than 16 KiB";
      }
    }
    if (inst.isAtomic() || inst.isVolatile()) {
      return "it accesses a variable that is volatile or atomic";
    }
    for (Use *use : dereferences(inst)) {
      const KernelMemory kind = kernelMemory(use->get(), partials_);
      if (kind == KernelMemory::Mixed) {
        return "it reaches memory through a pointer whose origin is not known";
      }
      if (kind != KernelMemory::Shared) {
        continue;
      }
      const auto *transfer = dyn_cast<AnyMemTransferInst>(&inst);
      const auto *call = dyn_cast<CallInst>(&inst);
      const bool reads = isa<LoadInst>(inst) || (transfer && use == &transfer->getRawSourceUse()) ||
                         (call && readsShared(*call));
      if (!reads) {
        if (std::string reason = checkWrite(inst); !reason.empty()) {
          return reason;
        }
      } else if (!reported.cover(inst, use->get(), chases_)) {
        return "it reads a variable in a way that kernels cannot";
      }
    }
  }
  dropAccessNumbers(*function_);
  return {};
}

/// Whether `block` is executed for the last iteration only.
bool KernelBody::isForLastIteration(BasicBlock *block) {
  auto &dominators = analyses_.getResult<DominatorTreeAnalysis>(*function_);
  for (const auto *node = dominators.getNode(block)->getIDom(); node; node = node->getIDom()) {
    auto *branch = dyn_cast<BranchInst>(node->getBlock()->getTerminator());
    auto *compare =
        branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
    if (!compare || compare->getOperand(0) != isLast_ || !compare->isEquality() ||
        !PatternMatch::match(compare->getOperand(1), PatternMatch::m_Zero())) {
      continue;
    }
    BasicBlock *then = branch->getSuccessor(compare->getPredicate() == ICmpInst::ICMP_NE ? 0 : 1);
    if (dominators.dominates(BasicBlockEdge(node->getBlock(), then), block)) {
      return true;
    }
  }
  return false;
}

/// Outside of the loop every work-item passes, but for what belongs to the last iteration.
std::string KernelBody::checkWrite(Instruction &inst) {
  auto &loops = analyses_.getResult<LoopAnalysis>(*function_);
  if (loops.getLoopFor(chunkLoop_)->contains(&inst)) {
    return {};
  }
  if (!isForLastIteration(inst.getParent())) {
    return "it writes to shared memory outside of its loop";
  }
  return loop_.reduce.empty() ? "" : "it has both a lastprivate and a reduction clause";
}

/// Addresses of constants, functions and private variables mean nothing outside of the kernel.
std::string KernelBody::checkUses() {
  for (Instruction &inst : instructions(*function_)) {
    auto *call = dyn_cast<CallBase>(&inst);
    for (Use &operand : inst.operands()) {
      if (isa<Function>(operand) && !(call && call->isCallee(&operand))) {
        return "it uses the address of a function";
      }
      const auto *store = dyn_cast<StoreInst>(&inst);
      const bool escapes = isa<PtrToIntInst>(inst) ||
                           (store && operand.getOperandNo() != store->getPointerOperandIndex());
      if (escapes && operand->getType()->isPointerTy()) {
        const KernelMemory kind = kernelMemory(operand, partials_);
        if (kind == KernelMemory::Private || kind == KernelMemory::Constant) {
          return "it keeps the address of a private variable or a constant";
        }
      }
    }
  }
  return {};
}

/// What work-items combine must be sums over the iterations that they executed, and all of them
/// must take part.
std::string KernelBody::checkReduction() {
  if (loop_.reduce.empty()) {
    return {};
  }
  auto &loops = analyses_.getResult<LoopAnalysis>(*function_);
  const Loop *chunkLoop = loops.getLoopFor(chunkLoop_);
  // Of the bounds, nothing may come behind the loop but through it.
  SmallPtrSet<const Instruction *, 16> seen;
  SmallVector<const Value *, 16> work{lower_, upper_, isLast_};
  auto &dominators = analyses_.getResult<DominatorTreeAnalysis>(*function_);
  BasicBlock *exit = chunkLoop->getUniqueExitBlock();
  if (!exit) {
    return "its loop has a form that kernels cannot divide";
  }
  while (!work.empty()) {
    for (const User *user : work.pop_back_val()->users()) {
      const auto *inst = cast<Instruction>(user);
      if (chunkLoop->contains(inst) || !seen.insert(inst).second) {
        continue;
      }
      const bool isBefore = dominators.dominates(inst->getParent(), chunkLoop_);
      if (!isBefore && !inst->isTerminator()) {
        return "its reduction depends on the number of iterations";
      }
      work.push_back(inst);
    }
  }
  auto &postDominators = analyses_.getResult<PostDominatorTreeAnalysis>(*function_);
  for (Instruction &inst : instructions(*function_)) {
    const auto *call = dyn_cast<CallInst>(&inst);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || callee->getName() != kernel::kLocalMemory) {
      continue;
    }
    // The runtime launches kernels for chunks with iterations: conditions that hold for the loop
    // hold for all work-items.
    for (const auto *node = dominators.getNode(inst.getParent())->getIDom(); node;
         node = node->getIDom()) {
      BasicBlock *block = node->getBlock();
      if (!postDominators.dominates(inst.getParent(), block) &&
          (loops.getLoopFor(block) || !dominators.dominates(block, chunkLoop_))) {
        return "its reduction is under a condition";
      }
    }
  }
  return {};
}

namespace {

/// `bits`, a parameter of an entry point, as the value of `type` that it holds.
Value *adapt(IRBuilder<> &build, Value *bits, Type *type) {
  if (type->isPointerTy()) {
    return build.CreateIntToPtr(bits, type);
  }
  if (type->isFloatTy()) {
    return build.CreateBitCast(build.CreateTrunc(bits, build.getInt32Ty()), type);
  }
  return type->isDoubleTy() ? build.CreateBitCast(bits, type) : build.CreateTrunc(bits, type);
}

} // namespace

/// The variables of the module that `function` uses, from now on as operands of instructions only.
SmallVector<GlobalVariable *, 4> KernelBody::variablesOf(Function &function) {
  SmallVector<Constant *, 16> variables;
  for (GlobalVariable &variable : kernels_.module().globals()) {
    variables.push_back(&variable);
  }
  convertUsersOfConstantsToInstructions(variables, &function);
  SmallVector<GlobalVariable *, 4> used;
  for (GlobalVariable &variable : kernels_.module().globals()) {
    const bool isUsed = any_of(variable.users(), [&](const User *user) {
      const auto *inst = dyn_cast<Instruction>(user);
      return inst && inst->getFunction() == &function;
    });
    if (isUsed) {
      used.push_back(&variable);
    }
  }
  return used;
}

/// The stand-ins of variables that the body uses; or why it cannot have them.
std::string KernelBody::collectSymbols() {
  for (GlobalVariable *used : variablesOf(*function_)) {
    GlobalVariable &variable = *used;
    if (variable.isThreadLocal()) {
      return "it uses thread-private variables";
    }
    if (variable.hasInitializer()) {
      if (variable.getDataLayout().getTypeAllocSize(variable.getValueType()) > kMaxConstantBytes) {
        return "it reads constants of more than 64 KiB";
      }
    } else if (variable.isConstant()) {
      return "it reads a constant that holds addresses or is defined elsewhere";
    } else {
      standIns_.push_back(&variable);
    }
  }
  if (kernel::FirstCapture + captures_ + values_.size() + standIns_.size() > kMaxParameters) {
    return "it needs more than 128 kernel parameters";
  }
  return {};
}

Function *KernelBody::finish(const Twine &name, std::vector<GlobalValue *> &symbols) {
  DevicePointers(*function_, arena_, low_, high_, partials_).translate();
  LLVMContext &context = function_->getContext();
  Type *i64 = Type::getInt64Ty(context);
  Type *ptr = PointerType::getUnqual(context);
  SmallVector<Type *, 32> params{ptr, i64, i64, i64, i64, i64, ptr};
  params.append(captures_ + values_.size() + standIns_.size(), i64);
  Function *entry = Function::Create(FunctionType::get(Type::getVoidTy(context), params, false),
                                     GlobalValue::ExternalLinkage, name, kernels_.module());
  entry->setAttributes(
      AttributeList::get(context, AttributeList::FunctionIndex,
                         AttrBuilder(context, function_->getAttributes().getFnAttrs())));
  nameParameters(*entry);
  entry->splice(entry->begin(), function_);
  IRBuilder<> build(&*entry->getEntryBlock().getFirstInsertionPt());
  const auto replace = [](Value *old, Value *now) { old->replaceAllUsesWith(now); };
  for (unsigned index = 0; index < 2; ++index) {
    replace(function_->getArg(index), PoisonValue::get(function_->getArg(index)->getType()));
  }
  unsigned next = kernel::FirstCapture;
  for (unsigned index = 0; index < captures_; ++index) {
    Argument *capture = function_->getArg(2 + index);
    replace(capture, adapt(build, entry->getArg(next++), capture->getType()));
  }
  for (Argument *value : values_) {
    replace(value, adapt(build, entry->getArg(next++), value->getType()));
  }
  for (GlobalVariable *standIn : standIns_) {
    symbols.push_back(kernels_.original(standIn));
    replace(standIn, build.CreateIntToPtr(entry->getArg(next++), standIn->getType()));
    standIn->eraseFromParent();
  }
  // Chunks have iterations: the last one is not in front of the first one.
  Type *counter = lower_->getType();
  Value *last = build.CreateNUWSub(entry->getArg(kernel::Upper), build.getInt64(1));
  replace(lower_, build.CreateTrunc(entry->getArg(kernel::Lower), counter, "", true, true));
  replace(upper_, build.CreateTrunc(last, counter, "", true, true));
  replace(stride_, PoisonValue::get(counter));
  replace(arena_, entry->getArg(kernel::Arena));
  replace(low_, entry->getArg(kernel::Low));
  replace(high_, entry->getArg(kernel::High));
  replace(partials_, entry->getArg(kernel::Partials));
  if (!isLast_->use_empty()) {
    FunctionCallee isLast =
        kernels_.module().getOrInsertFunction(kIsLastPlaceholder, build.getInt32Ty());
    replace(isLast_, build.CreateCall(isLast));
  }
  analyses_.clear(*function_, function_->getName());
  function_->eraseFromParent();
  function_ = nullptr;
  return entry;
}

void KernelBody::nameParameters(Function &entry) const {
  static constexpr StringLiteral kNames[] = {"arena", "low",   "high",    "lower",
                                             "upper", "total", "partials"};
  for (auto [index, name] : enumerate(kNames)) {
    entry.getArg(index)->setName(name);
  }
  unsigned next = kernel::FirstCapture;
  const auto nameAll = [&](StringRef kind, std::size_t count) {
    for (std::size_t index = 0; index < count; ++index) {
      entry.getArg(next++)->setName(kind + Twine(index));
    }
  };
  nameAll("capture", captures_);
  nameAll("value", values_.size());
  nameAll("symbol", standIns_.size());
}

KernelBody::~KernelBody() {
  if (function_) {
    analyses_.clear(*function_, function_->getName());
    function_->eraseFromParent();
  }
}

} // namespace tutti::compiler
