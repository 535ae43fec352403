// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/inspector.h"

#include "abi/abi.h"
#include "abi/updates.h"
#include "compiler/analysis/access_numbers.h"
#include "compiler/ir/entry_points.h"
#include "compiler/ir/function_copies.h"
#include "compiler/ir/launch_function.h"
#include "compiler/ir/library_functions.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <optional>

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Slot `index` of an array of 64-bit words, as what `type` says.
Value *slotOf(IRBuilder<> &build, Value *array, unsigned index, Type *type) {
  Type *i64 = build.getInt64Ty();
  Value *bits = build.CreateLoad(i64, build.CreateConstInBoundsGEP1_64(i64, array, index));
  if (type->isPointerTy()) {
    return build.CreateIntToPtr(bits, type);
  }
  const unsigned width = type->getScalarSizeInBits();
  bits = width == 64 ? bits : build.CreateTrunc(bits, build.getIntNTy(width));
  return type->isIntegerTy() ? bits : build.CreateBitCast(bits, type);
}

bool fitsSlot(const Type &type) {
  return type.isPointerTy() || type.isFloatTy() || type.isDoubleTy() ||
         (type.isIntegerTy() && type.getIntegerBitWidth() <= 64);
}

/// Whether `inst` calls a function that computes from numbers alone.
bool isComputation(const Instruction &inst) {
  const auto *call = dyn_cast<CallBase>(&inst);
  return call && argumentUse(*call) && none_of(call->args(), [](const Use &operand) {
           return operand->getType()->isPointerTy();
         });
}

/// Whether `record` says of an access what it reads, of each chunk at once.
bool isRead(const AccessRecord &record) {
  return record.touch && (record.flags & TUTTI_READ) != 0 && (record.flags & TUTTI_REDUCED) == 0 &&
         record.walks.empty();
}

class Inspector {
public:
  Inspector(ChunkModel &model, RegionAccesses &accesses, bool carries,
            FunctionAnalysisManager &analyses, StringRef name)
      : model_(model), accesses_(accesses), carries_(carries), analyses_(analyses), name_(name) {}

  InspectorFunction emit();

private:
  using Touches = SmallSetVector<CallInst *, 8>;

  Touches listable() const;
  void copyModel();
  void takeValues();
  void dropEffects(const Touches &listed);
  void dropReports(const Touches &touches);
  void cleanUp();
  std::optional<Touches> indices() const;
  bool addTouches(const LoadInst &load, Touches &touches) const;
  bool addTouchesOf(const Value &root, Touches &touches) const;
  bool isHarmless(const Instruction &inst) const;
  Function *entry();

  Argument *values() const { return body_->getArg(body_->arg_size() - 2); }

  Argument *sink() const { return body_->getArg(body_->arg_size() - 1); }

  ChunkModel &model_;
  RegionAccesses &accesses_;
  bool carries_; ///< Iterations may use what others have left in private variables.
  FunctionAnalysisManager &analyses_;
  StringRef name_;
  Function *body_ = nullptr; ///< The model's arguments, values and sink.
  ValueToValueMapTy map_;
  SmallVector<WeakVH, 8> taken_; ///< Each value; null where nothing needs it any more.
  DenseMap<const Instruction *, LoadInst *> loads_; ///< Of the model, by those of the copy.
  SmallVector<std::pair<CallInst *, CallInst *>, 8> reports_; ///< And the touches that they are of.
};

/// Touches all of whose records are of whole objects, and no reductions or updates. Of writes that
/// may depend on other iterations nothing is told.
Inspector::Touches Inspector::listable() const {
  Touches found;
  Touches others;
  const bool mayWrite = !accesses_.scatters || !carries_;
  for (const AccessRecord &record : accesses_.records) {
    constexpr unsigned kOthers = TUTTI_REDUCED | TUTTI_CONSTANT | TUTTI_UPDATED;
    const bool isListable = record.isWhole && (record.flags & kOthers) == 0 &&
                            (mayWrite || (record.flags & TUTTI_WRITE) == 0) &&
                            record.walks.empty() &&
                            isa<ConstantInt>(record.touch->getArgOperand(1));
    if (isListable) {
      found.insert(record.touch);
    } else if (record.touch) {
      others.insert(record.touch);
    }
  }
  found.set_subtract(others);
  return found;
}

void Inspector::copyModel() {
  Function &model = model_.function();
  SmallVector<Type *, 24> params(model.getFunctionType()->params());
  params.append(2, PointerType::getUnqual(model.getContext()));
  body_ = Function::Create(FunctionType::get(model.getReturnType(), params, false),
                           GlobalValue::InternalLinkage, name_ + ".inspected", model.getParent());
  for (Argument &argument : model.args()) {
    map_[&argument] = body_->getArg(argument.getArgNo());
  }
  copyInto(*body_, model, map_);
  body_->setDSOLocal(true);
  // They speak of the loop, which reports nothing, and whose threads have numbers.
  body_->removeFnAttr(Attribute::Memory);
  for (unsigned number = 0; number < 2; ++number) {
    body_->removeParamAttrs(number, AttributeMask()
                                        .addAttribute(Attribute::NonNull)
                                        .addAttribute(Attribute::NoUndef)
                                        .addAttribute(Attribute::Dereferenceable));
  }
  for (Instruction &inst : instructions(model)) {
    if (auto *load = dyn_cast<LoadInst>(&inst)) {
      loads_[cast<Instruction>(&*map_.lookup(load))] = load;
    }
  }
}

/// Values are taken from where the runtime has put them.
void Inspector::takeValues() {
  for (auto [index, value] : enumerate(model_.values())) {
    auto *load = cast<Instruction>(&*map_.lookup(value));
    IRBuilder<> build(load);
    Value *slot = slotOf(build, values(), index, load->getType());
    load->replaceAllUsesWith(slot);
    taken_.emplace_back(slot);
    loads_.erase(load);
    load->eraseFromParent();
  }
}

/// Leaves of what reaches shared memory loads and reports of what is listed alone.
void Inspector::dropEffects(const Touches &listed) {
  const EntryPoints entryPoints(*body_->getParent());
  Type *i64 = Type::getInt64Ty(body_->getContext());
  const auto writes = [this](const CallInst *touch) {
    return any_of(accesses_.records, [touch](const AccessRecord &record) {
      return record.touch == touch && (record.flags & TUTTI_WRITE) != 0;
    });
  };
  for (CallInst *touch : listed) {
    auto *copy = cast<CallInst>(&*map_.lookup(touch));
    IRBuilder<> build(copy);
    CallInst *report = build.CreateCall(
        writes(touch) ? entryPoints.written() : entryPoints.touched(),
        {sink(), build.CreatePtrToInt(copy->getArgOperand(0), i64), copy->getArgOperand(1)});
    reports_.emplace_back(report, touch);
  }
  for (Instruction &inst : make_early_inc_range(instructions(*body_))) {
    const auto *call = dyn_cast<CallInst>(&inst);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    const Value *written = nullptr;
    if (auto *store = dyn_cast<StoreInst>(&inst)) {
      written = store->getPointerOperand();
    } else if (auto *memory = dyn_cast<AnyMemIntrinsic>(&inst)) {
      written = memory->getRawDest();
    }
    const bool isMarker = callee && callee->getName().starts_with("tutti.model.");
    const auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
    const bool isAssumed = intrinsic && intrinsic->isAssumeLikeIntrinsic() && inst.use_empty();
    if (isAssumed || (isMarker && inst.use_empty()) ||
        (written && memoryKind(written) != MemoryKind::Private)) {
      inst.eraseFromParent();
    }
  }
}

void Inspector::dropReports(const Touches &touches) {
  erase_if(reports_, [&](const auto &report) {
    const bool isDropped = touches.contains(report.second);
    if (isDropped) {
      report.first->eraseFromParent();
    }
    return isDropped;
  });
}

void Inspector::cleanUp() {
  const auto isUnused = [](Instruction &inst) { return isComputation(inst) && inst.use_empty(); };
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  passes.addPass(ADCEPass());
  passes.addPass(createFunctionToLoopPassAdaptor(LoopDeletionPass()));
  passes.addPass(ADCEPass());
  analyses_.invalidate(*body_, PreservedAnalyses::none());
  bool isClean = false;
  while (!isClean) {
    passes.run(*body_, analyses_);
    analyses_.invalidate(*body_, PreservedAnalyses::none());
    isClean = true;
    for (Instruction &inst : make_early_inc_range(instructions(*body_))) {
      if (isUnused(inst) && !inst.isTerminator()) {
        inst.eraseFromParent(); // It may set errno, so no pass drops it.
        isClean = false;
      }
    }
  }
}

/// Adds what says of `load` that it reads; false if nothing does.
bool Inspector::addTouches(const LoadInst &load, Touches &touches) const {
  const LoadInst *original = loads_.lookup(&load);
  if (!original) {
    return false;
  }
  const Value *pointer = original->getPointerOperand();
  const std::uint64_t bytes = load.getDataLayout().getTypeStoreSize(load.getType()).getFixedValue();
  const std::optional<unsigned> number = accessNumber(*original);
  const bool isNumbered = number && model_.announcesReads(*number);
  Touches ofSame; // Addresses, or accesses.
  for (const AccessRecord &record : accesses_.records) {
    const auto *size =
        isRead(record) ? dyn_cast<ConstantInt>(record.touch->getArgOperand(1)) : nullptr;
    if (size && size->getZExtValue() >= bytes &&
        (record.touch->getArgOperand(0) == pointer ||
         (isNumbered && accessNumber(*record.touch) == number))) {
      ofSame.insert(record.touch);
    }
  }
  if (!ofSame.empty()) {
    touches.insert(ofSame.begin(), ofSame.end());
    return true;
  }
  return addTouchesOf(*getUnderlyingObject(pointer, 0), touches);
}

/// The same of a load that repeats one of an earlier iteration: what that read is among all that is
/// read through the same pointer.
bool Inspector::addTouchesOf(const Value &root, Touches &touches) const {
  const auto isAt = [&](const Value *pointer) { return getUnderlyingObject(pointer, 0) == &root; };
  if (any_of(model_.values(),
             [&](const LoadInst *value) { return isAt(value->getPointerOperand()); })) {
    return false; // Some of it may have become a value.
  }
  bool isSaid = false;
  for (const AccessRecord &record : accesses_.records) {
    if (!record.touch || !isAt(record.touch->getArgOperand(0))) {
      continue;
    }
    if (!isRead(record) || (record.flags & TUTTI_WRITE) != 0) {
      return false;
    }
    touches.insert(record.touch);
    isSaid = true;
  }
  return isSaid;
}

/// Whether `inst`, no load, may be executed once more, on rank 0 alone.
bool Inspector::isHarmless(const Instruction &inst) const {
  if (const auto *store = dyn_cast<StoreInst>(&inst)) {
    return store->isSimple() && memoryKind(store->getPointerOperand()) == MemoryKind::Private;
  }
  if (const auto *call = dyn_cast<CallBase>(&inst)) {
    const bool isReport = any_of(reports_, [&](const auto &other) { return other.first == call; });
    return isReport || isComputation(*call) || isa<DbgInfoIntrinsic>(call) ||
           call->isLifetimeStartOrEnd() ||
           (call->doesNotAccessMemory() && call->willReturn() && call->doesNotThrow());
  }
  return !inst.mayReadOrWriteMemory();
}

/// The touches of all that is loaded; nothing if something is left that must not be executed, or
/// whose bytes no record names.
std::optional<Inspector::Touches> Inspector::indices() const {
  Touches found;
  for (Instruction &inst : instructions(*body_)) {
    if (const auto *load = dyn_cast<LoadInst>(&inst)) {
      const bool isOwn = load->getPointerOperand()->stripInBoundsOffsets() == values();
      const LoadInst *original = loads_.lookup(load);
      const MemoryKind kind = memoryKind((original ? original : load)->getPointerOperand());
      if (isOwn ||
          (load->isSimple() && (kind == MemoryKind::Private || kind == MemoryKind::Constant))) {
        continue;
      }
      if (!load->isSimple() || kind != MemoryKind::Shared || !addTouches(*load, found)) {
        return std::nullopt;
      }
    } else if (!isHarmless(inst)) {
      return std::nullopt;
    }
  }
  // The thread's number, and what stands for pieces of a schedule or iterations of a walk.
  for (Argument &argument : model_.function().args()) {
    const bool isKnown = &argument == model_.lower() || &argument == model_.upper() ||
                         &argument == model_.isLast() || model_.captureIndex(&argument) >= 0;
    if (!isKnown && !body_->getArg(argument.getArgNo())->use_empty()) {
      return std::nullopt;
    }
  }
  return found;
}

/// The function that the runtime calls.
Function *Inspector::entry() {
  Module &module = *body_->getParent();
  Type *ptr = PointerType::getUnqual(module.getContext());
  Type *i64 = Type::getInt64Ty(module.getContext());
  Function *function = createLaunchFunction(module, Type::getVoidTy(module.getContext()),
                                            {ptr, ptr, i64, i64, i64, ptr}, name_ + ".inspect");
  IRBuilder<> build(&function->getEntryBlock());
  Value *upper = function->getArg(3);
  SmallVector<Value *, 24> operands;
  for (Argument &argument : model_.function().args()) {
    const int capture = model_.captureIndex(&argument);
    Type *type = argument.getType();
    if (capture >= 0) {
      operands.push_back(slotOf(build, function->getArg(0), capture, type));
    } else if (&argument == model_.lower()) {
      operands.push_back(build.CreateTrunc(function->getArg(2), type));
    } else if (&argument == model_.upper()) {
      operands.push_back(build.CreateTrunc(build.CreateSub(upper, build.getInt64(1)), type));
    } else if (&argument == model_.isLast()) {
      operands.push_back(build.CreateZExt(build.CreateICmpEQ(upper, function->getArg(4)), type));
    } else {
      operands.push_back(Constant::getNullValue(type)); // Nobody uses it.
    }
  }
  operands.append({function->getArg(1), function->getArg(5)});
  build.CreateCall(body_, operands);
  build.CreateRetVoid();
  return function;
}

InspectorFunction Inspector::emit() {
  // A model of one row, or of one iteration, is no model of a chunk, and where pointers are loaded
  // ahead of loops that may have no iterations, it must not be executed.
  if (!model_.rows().empty() || model_.isOfOneIteration() || accesses_.follows ||
      !accesses_.found.empty() ||
      any_of(instructions(model_.function()),
             [](Instruction &inst) { return ChunkModel::asRaised(inst) != nullptr; }) ||
      any_of(model_.function().args(),
             [](const Argument &argument) { return !fitsSlot(*argument.getType()); })) {
    return {};
  }
  Touches listed = listable();
  if (listed.empty()) {
    return {};
  }
  copyModel();
  takeValues();
  dropEffects(listed);
  cleanUp();
  std::optional<Touches> needed = indices();
  if (needed) { // What it depends on every rank gets anyway.
    dropReports(*needed);
    listed.set_subtract(*needed);
    cleanUp();
    needed = indices();
  }
  if (!needed || listed.empty()) {
    analyses_.clear(*body_, body_->getName());
    body_->eraseFromParent();
    return {};
  }
  for (AccessRecord &record : accesses_.records) {
    record.flags |= listed.contains(record.touch) ? TUTTI_LISTED : 0;
    record.flags |= needed->contains(record.touch) ? TUTTI_INDEX : 0;
  }
  BitVector used(taken_.size());
  for (auto [index, value] : enumerate(taken_)) {
    used[index] = value != nullptr;
  }
  return {entry(), std::move(used)};
}

} // namespace

InspectorFunction emitInspector(ChunkModel &model, RegionAccesses &accesses, bool carries,
                                FunctionAnalysisManager &analyses, StringRef name) {
  return Inspector(model, accesses, carries, analyses, name).emit();
}

} // namespace tutti::compiler
