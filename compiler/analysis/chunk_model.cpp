// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/chunk_model.h"

#include "abi/abi.h"
#include "abi/order.h"
#include "abi/updates.h"
#include "compiler/analysis/access_numbers.h"
#include "compiler/analysis/endings.h"
#include "compiler/analysis/expressions.h"
#include "compiler/analysis/shared_flags.h"
#include "compiler/analysis/shared_updates.h"
#include "compiler/analysis/walks.h"
#include "compiler/ir/construct_calls.h"
#include "compiler/ir/fragment_calls.h"
#include "compiler/ir/function_copies.h"
#include "compiler/ir/library_functions.h"
#include "compiler/ir/private_memory.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

constexpr const char *kAtomic = "it contains an atomic update";

constexpr StringRef kTripMarker = "tutti.model.trip";
constexpr StringRef kReduceMarker = "tutti.model.reduce";
constexpr StringRef kTouchMarker = "tutti.model.touch";
constexpr StringRef kRaisedMarker = "tutti.model.raised";
constexpr StringRef kLengthMarker = "tutti.model.length"; ///< A length that nobody knows.

void makeMarker(Function &callee) {
  callee.setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  callee.addFnAttr(Attribute::NoUnwind);
  callee.addFnAttr(Attribute::WillReturn);
  callee.addFnAttr(Attribute::NoCallback);
}

/// A call that no pass may remove or move across another one, and that no analysis looks into.
CallInst *insertMarker(StringRef name, ArrayRef<Value *> operands, Instruction *before) {
  Module *module = before->getModule();
  SmallVector<Type *, 2> types;
  for (const Value *operand : operands) {
    types.push_back(operand->getType());
  }
  std::string suffix;
  for (const Type *type : types) {
    suffix += type->isPointerTy() ? ".p" : ("." + Twine(type->getScalarSizeInBits())).str();
  }
  FunctionCallee marker = module->getOrInsertFunction(
      (name + suffix).str(),
      FunctionType::get(Type::getVoidTy(module->getContext()), types, false));
  auto *callee = cast<Function>(marker.getCallee());
  makeMarker(*callee);
  for (Argument &argument : callee->args()) {
    if (argument.getType()->isPointerTy()) {
      argument.addAttr(Attribute::NoCapture);
      argument.addAttr(Attribute::ReadNone);
    }
  }
  return CallInst::Create(marker, operands, "", before->getIterator());
}

CallInst *findMarker(Function &function, StringRef name) {
  for (Instruction &inst : instructions(function)) {
    if (auto *call = dyn_cast<CallInst>(&inst)) {
      const Function *callee = call->getCalledFunction();
      if (callee && callee->getName().starts_with(name)) {
        return call;
      }
    }
  }
  return nullptr;
}

/// Whether a load of `type` can be a value of the region.
bool isValueType(const Type &type) {
  return type.isPointerTy() || type.isIntegerTy(8) || type.isIntegerTy(16) ||
         type.isIntegerTy(32) || type.isIntegerTy(64) || type.isFloatTy() || type.isDoubleTy();
}

template <typename T> T *mapped(const ValueToValueMapTy &map, T *original) {
  return cast<T>(&*map.lookup(original));
}

} // namespace

namespace {

/// `followed` are the loads on the way here: a list's `p = p->next` leads back to itself.
MemoryKind memoryKindOf(const Value *pointer, SmallPtrSetImpl<const Value *> &followed) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(pointer, objects, nullptr, 0);
  bool isPrivate = false;
  bool isConstant = false;
  bool isShared = false;
  for (const Value *object : objects) {
    if (isa<ConstantPointerNull, UndefValue>(object)) {
      continue; // Nobody follows it.
    }
    const auto *call = dyn_cast<CallBase>(object);
    const auto use = call ? argumentUse(*call) : std::nullopt;
    if (isCharacterTable(*object)) {
      isPrivate = true;
    } else if (use && use->givesFirst) {
      if (!leadsToOwn(call->getArgOperand(0))) {
        return MemoryKind::Mixed;
      }
      isPrivate = true;
    } else if (isa<AllocaInst>(object) || isPrivateMemoryCall(*object) || isMarkedOwn(*object)) {
      isPrivate = true;
    } else if (const auto *global = dyn_cast<GlobalVariable>(object)) {
      (global->isConstant() ? isConstant : isShared) = true;
      if (global->isThreadLocal()) {
        return MemoryKind::Mixed;
      }
    } else if (const auto *argument = dyn_cast<Argument>(object)) {
      (argument->getArgNo() < 2 ? isPrivate : isShared) = true;
    } else if (isa<LoadInst>(object)) {
      // A pointer found in private memory may lead anywhere.
      const auto *load = cast<LoadInst>(object);
      if (followed.insert(load).second &&
          memoryKindOf(load->getPointerOperand(), followed) == MemoryKind::Private) {
        return MemoryKind::Mixed;
      }
      isShared = true;
    } else {
      return MemoryKind::Mixed;
    }
  }
  if (isPrivate + isConstant + isShared != 1) {
    return MemoryKind::Mixed;
  }
  return isPrivate ? MemoryKind::Private : isConstant ? MemoryKind::Constant : MemoryKind::Shared;
}

/// Makes what is extended with zeros, because a condition shows that it is not negative, extended
/// with its sign once more: where the condition does not hold it is not far away then, but in front
/// of the first element.
void signExtensions(Function &function) {
  for (Instruction &inst : make_early_inc_range(instructions(function))) {
    auto *extension = dyn_cast<ZExtInst>(&inst);
    if (extension && extension->hasNonNeg()) {
      IRBuilder<> build(extension);
      extension->replaceAllUsesWith(
          build.CreateSExt(extension->getOperand(0), extension->getType()));
      extension->eraseFromParent();
    }
  }
}

} // namespace

MemoryKind memoryKind(const Value *pointer) {
  SmallPtrSet<const Value *, 4> followed;
  return memoryKindOf(pointer, followed);
}

ChunkModel::ChunkModel(Function &outlined, const Worksharing &loop,
                       FunctionAnalysisManager &analyses)
    : analyses_(analyses), isUnsigned_(loop.isUnsigned()), captureCount_(outlined.arg_size() - 2) {
  LLVMContext &context = outlined.getContext();
  Type *counter = loop.counterType();
  SmallVector<Type *, 16> params(outlined.getFunctionType()->params());
  params.append({counter, counter, counter, Type::getInt32Ty(context)});
  params.append(kCounters, Type::getInt64Ty(context));
  function_ = Function::Create(FunctionType::get(outlined.getReturnType(), params, false),
                               GlobalValue::InternalLinkage, outlined.getName() + ".tutti.model",
                               outlined.getParent());
  ValueToValueMapTy map;
  for (Argument &argument : outlined.args()) {
    map[&argument] = function_->getArg(argument.getArgNo());
  }
  copyInto(*function_, outlined, map);
  function_->setDSOLocal(true);
  dropProbes(*function_);
  signExtensions(*function_);
  lower_ = function_->getArg(outlined.arg_size());
  upper_ = function_->getArg(outlined.arg_size() + 1);
  stride_ = function_->getArg(outlined.arg_size() + 2);
  isLast_ = function_->getArg(outlined.arg_size() + 3);
  const unsigned bits = counter->getIntegerBitWidth();
  // The one-past-the-end of a chunk, too, is a number of the counter's non-negative half.
  const ConstantRange bounds(APInt::getZero(bits), APInt::getSignedMaxValue(bits));
  lower_->addAttr(Attribute::get(context, Attribute::Range, bounds));
  upper_->addAttr(Attribute::get(context, Attribute::Range, bounds));
  markAccesses(reductionBlocks(loop, map));
  replaceRuntimeCalls(loop, map);
  formChunkLoop(*function_, chunkBounds(), analyses);
  checkAfterReduction();
  hoistValues();
  closeAddresses(analyses);
  hoistValues();
  if (loop.isOverThreads()) {
    takeFirstIteration();
    closeAddresses(analyses);
    hoistValues();
  }
  if (raisePointers()) {
    closeAddresses(analyses);
    hoistValues();
  }
  adoptReads();
  splitRows(analyses);
  if (!rows_.empty()) {
    raisePointers(); // What a row has in common is known now.
  }
}

ChunkModel::~ChunkModel() {
  analyses_.clear(*function_, function_->getName());
  function_->eraseFromParent();
}

CallInst *ChunkModel::tripMarker() const { return findMarker(*function_, kTripMarker); }

CallInst *ChunkModel::asTouch(Instruction &inst) {
  auto *call = dyn_cast<CallInst>(&inst);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName().starts_with(kTouchMarker) ? call : nullptr;
}

Value *ChunkModel::asRaised(Instruction &inst) {
  auto *call = dyn_cast<CallInst>(&inst);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName().starts_with(kRaisedMarker) ? call->getArgOperand(0) : nullptr;
}

namespace {

template <typename Next>
SmallPtrSet<BasicBlock *, 8> reachable(ArrayRef<BasicBlock *> from, const Next &next) {
  SmallPtrSet<BasicBlock *, 8> found(from.begin(), from.end());
  SmallVector<BasicBlock *, 8> work(from);
  while (!work.empty()) {
    for (BasicBlock *block : next(work.pop_back_val())) {
      if (found.insert(block).second) {
        work.push_back(block);
      }
    }
  }
  return found;
}

} // namespace

/// Where the original variables take in what the threads have reduced: all that lies between the
/// call that begins the reduction and the one that ends it.
SmallPtrSet<BasicBlock *, 8> ChunkModel::reductionBlocks(const Worksharing &loop,
                                                         const ValueToValueMapTy &map) {
  SmallVector<BasicBlock *, 2> begins;
  SmallVector<BasicBlock *, 2> ends;
  for (CallInst *reduce : loop.reduce) {
    for (BasicBlock *block : successors(mapped(map, reduce)->getParent())) {
      begins.push_back(block);
    }
  }
  for (CallInst *call : loop.bookkeeping) {
    if (isEndReduce(kindOf(*call))) {
      ends.push_back(mapped(map, call)->getParent());
    }
  }
  const auto behind = reachable(begins, [](BasicBlock *block) { return successors(block); });
  SmallPtrSet<BasicBlock *, 8> between;
  for (BasicBlock *block : reachable(ends, [](BasicBlock *block) { return predecessors(block); })) {
    if (behind.contains(block)) {
      between.insert(block);
    }
  }
  return between;
}

namespace {

/// The object that `pointer` begins at, and how many pointers are loaded on the way from there.
std::pair<const Value *, unsigned> rootOf(const Value *pointer) {
  const Value *object = getUnderlyingObject(pointer, 0);
  unsigned loads = 0;
  for (; isa<LoadInst>(object); ++loads) {
    object = getUnderlyingObject(cast<LoadInst>(object)->getPointerOperand(), 0);
  }
  return {object, loads};
}

using Roots = SmallDenseSet<std::pair<const Value *, unsigned>, 8>;

/// What the stores of `blocks` go to.
Roots writtenIn(const SmallPtrSetImpl<BasicBlock *> &blocks) {
  Roots written;
  for (BasicBlock *block : blocks) {
    for (Instruction &inst : *block) {
      if (auto *store = dyn_cast<StoreInst>(&inst)) {
        written.insert(rootOf(store->getPointerOperand()));
      } else if (auto *memory = dyn_cast<AnyMemIntrinsic>(&inst)) {
        written.insert(rootOf(memory->getRawDest()));
      }
    }
  }
  return written;
}

/// Whether a combiner finds at `pointer` a variable of the program, not what it combines.
bool leadsToAnother(const Value *pointer, const Roots &written) {
  const auto root = rootOf(pointer);
  const auto *global = dyn_cast<GlobalVariable>(root.first);
  const bool isFixed = global && global->isConstant() && global->hasInitializer();
  return global && !isFixed && !written.contains(root);
}

} // namespace

/// Atomic updates and fences apart, everything that reaches shared memory gets its marker.
///
/// What a reduction reads is no value, because it is written, too: such reads are marked at-most,
/// and their loads are pinned where they are. Other variables that its combiner reads have to be
/// values: all ranks combine, though the model does where rank 0 finishes alone.
void ChunkModel::markAccesses(const SmallPtrSetImpl<BasicBlock *> &reduction) {
  const DataLayout &layout = function_->getDataLayout();
  Type *i64 = Type::getInt64Ty(function_->getContext());
  const Roots written = writtenIn(reduction);
  const auto refuse = [&](const Instruction &inst, const char *reason) {
    reason_ = reason;
    reasonLocation_ = inst.getDebugLoc();
  };
  const auto sizeOf = [&](Type *type) {
    return ConstantInt::get(i64, layout.getTypeStoreSize(type).getFixedValue());
  };
  for (Instruction &inst : make_early_inc_range(instructions(*function_))) {
    const bool isReduced = reduction.contains(inst.getParent());
    const unsigned reduced = isReduced ? TUTTI_REDUCED : 0;
    if (auto *load = dyn_cast<LoadInst>(&inst)) {
      const bool isOther = isReduced && leadsToAnother(load->getPointerOperand(), written);
      const bool isValue =
          isa<Constant>(load->getPointerOperand()) && isValueType(*load->getType());
      if (isOther && isValue) {
        load->moveBefore(&*function_->getEntryBlock().getFirstInsertionPt());
      } else if (isOther) {
        refuse(inst, "its reduction reads other shared variables");
      }
      const bool isUpdate = isReduced && !isOther && !load->getType()->isPointerTy();
      markAccess(inst, load->getPointerOperand(), sizeOf(load->getType()),
                 isUpdate ? TUTTI_READ | TUTTI_AT_MOST | TUTTI_REDUCED : TUTTI_READ);
      load->setVolatile(load->isVolatile() || isUpdate);
    } else if (auto *store = dyn_cast<StoreInst>(&inst)) {
      markAccess(inst, store->getPointerOperand(), sizeOf(store->getValueOperand()->getType()),
                 TUTTI_WRITE | reduced);
    } else if (auto *memory = dyn_cast<AnyMemIntrinsic>(&inst)) {
      Value *bytes = memory->getLength();
      if (bytes->getType() != i64) {
        bytes = CastInst::CreateIntegerCast(bytes, i64, false, "", inst.getIterator());
      }
      if (auto *transfer = dyn_cast<AnyMemTransferInst>(memory)) {
        if (isReduced && leadsToAnother(transfer->getRawSource(), written)) {
          refuse(inst, "its reduction reads other shared variables");
        }
        markAccess(inst, transfer->getRawSource(), bytes, TUTTI_READ | reduced);
      }
      markAccess(inst, memory->getRawDest(), bytes, TUTTI_WRITE | reduced);
    } else if (auto *update = dyn_cast<AtomicRMWInst>(&inst)) {
      markUpdate(*update, isReduced);
    } else if (isa<AtomicCmpXchgInst>(inst)) {
      refuse(inst, kAtomic);
    } else if (auto *call = dyn_cast<CallInst>(&inst)) {
      markReads(*call, isReduced);
    }
  }
}

namespace {

/// Whether the value of a constant may be computed at the start of the program: another module
/// knows.
bool mayBeConstructed(const Value *pointer) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(pointer, objects, nullptr, 0);
  return any_of(objects,
                [](const Value *object) { return cast<GlobalVariable>(object)->isDeclaration(); });
}

} // namespace

/// A number of bytes that no analysis knows anything of.
Value *unknownLength(Instruction &before) {
  FunctionCallee length = before.getModule()->getOrInsertFunction(
      kLengthMarker, FunctionType::get(Type::getInt64Ty(before.getContext()), false));
  makeMarker(*cast<Function>(length.getCallee()));
  return CallInst::Create(length, "", before.getIterator());
}

/// Marks what a call reads through its arguments: as far as it likes, so that all of the object
/// counts.
void ChunkModel::markReads(CallInst &call, bool isReduced) {
  const auto use = kindOf(call) == CallKind::None ? argumentUse(call) : std::nullopt;
  if (!use) {
    return;
  }
  for (Use &arg : call.args()) {
    if ((use->onlyRead & 1U << call.getArgOperandNo(&arg)) == 0 || isa<ConstantPointerNull>(arg) ||
        memoryKind(arg) == MemoryKind::Private) {
      continue;
    }
    if (isReduced) {
      reason_ = "its reduction reads other shared variables";
      reasonLocation_ = call.getDebugLoc();
    }
    markAccess(call, arg, unknownLength(call), TUTTI_READ);
  }
}

/// Marks an update of which nothing is left but what its record says.
void ChunkModel::markUpdate(AtomicRMWInst &update, bool isReduced) {
  const std::optional<unsigned> flags = recordedUpdate(update);
  if (!flags || isReduced) {
    reason_ = kAtomic;
    reasonLocation_ = update.getDebugLoc();
    return;
  }
  const DataLayout &layout = function_->getDataLayout();
  markAccess(update, update.getPointerOperand(),
             ConstantInt::get(Type::getInt64Ty(update.getContext()),
                              layout.getTypeStoreSize(update.getType()).getFixedValue()),
             *flags);
  update.eraseFromParent();
}

void ChunkModel::markAccess(Instruction &inst, Value *pointer, Value *bytes, unsigned flags) {
  const MemoryKind kind = memoryKind(pointer);
  if (kind == MemoryKind::Private) {
    return;
  }
  if (kind == MemoryKind::Constant) {
    if (!mayBeConstructed(pointer)) {
      return;
    }
    flags |= TUTTI_CONSTANT;
  } else if (kind == MemoryKind::Mixed) {
    reason_ = "it reaches memory through a pointer whose origin is not known";
    reasonLocation_ = inst.getDebugLoc();
  } else if (inst.isVolatile() || (inst.isAtomic() && (flags & TUTTI_UPDATED) == 0)) {
    reason_ = "it accesses a shared variable that is volatile or atomic";
    reasonLocation_ = inst.getDebugLoc();
  }
  Value *kinds = ConstantInt::get(Type::getInt32Ty(inst.getContext()), flags);
  CallInst *touch = insertMarker(kTouchMarker, {pointer, bytes, kinds}, &inst);
  touch->setDebugLoc(inst.getDebugLoc());
  copyAccessNumber(inst, *touch);
  if (const auto *store = dyn_cast<StoreInst>(&inst)) {
    noteStored(*touch, *store);
  }
}

int ChunkModel::captureIndex(const Argument *argument) const {
  const unsigned number = argument->getArgNo();
  return number >= 2 && number < 2 + captureCount_ ? static_cast<int>(number) - 2 : -1;
}

int ChunkModel::counterIndex(const Argument *argument) const {
  const int position =
      static_cast<int>(argument->getArgNo()) - static_cast<int>(counter(0)->getArgNo());
  return position >= 0 ? position : -1;
}

namespace {

/// How many iterations of the loop that `init` begins have an order; 64 bits.
Value *lengthOfPieces(CallInst &init) {
  IRBuilder<> build(&init);
  switch (piecesOf(init)) {
  case Pieces::Open:
    return build.getInt64(1);
  case Pieces::Fixed:
    return build.CreateSExt(operandOf(init, Role::Piece), build.getInt64Ty());
  case Pieces::Chosen:
    return build.getInt64(TUTTI_PIECE_CHOSEN);
  }
  llvm_unreachable("a kind of pieces");
}

} // namespace

void ChunkModel::replaceRuntimeCalls(const Worksharing &loop, const ValueToValueMapTy &map) {
  CallInst *init = mapped(map, loop.init);
  Value *last = loop.lastIteration();
  if (auto it = map.find(last); it != map.end()) {
    last = it->second;
  }
  insertMarker(kTripMarker, {last, lengthOfPieces(*init)}, init);
  takeChunk(*function_, loop, map, chunkBounds());
  for (CallInst *reduce : loop.reduce) {
    CallInst *copy = mapped(map, reduce);
    insertMarker(kReduceMarker, {}, copy);
    // The originals are updated where rank 0 finishes its chunk, the first one.
    IRBuilder<> build(copy);
    Value *isFirst = build.CreateICmpEQ(lower_, ConstantInt::get(lower_->getType(), 0));
    copy->replaceAllUsesWith(build.CreateZExt(isFirst, copy->getType()));
    copy->eraseFromParent();
  }
}

void ChunkModel::closeAddresses(FunctionAnalysisManager &analyses) {
  compiler::closeAddresses(*function_, analyses, /*closesSums=*/true);
}

/// The copy has lost what a reduction does to the original variables; so nothing may look at
/// shared memory after it.
void ChunkModel::checkAfterReduction() {
  CallInst *marker = findMarker(*function_, kReduceMarker);
  if (!marker || !reason_.empty()) {
    return;
  }
  SmallPtrSet<BasicBlock *, 16> seen;
  SmallVector<std::pair<BasicBlock *, BasicBlock::iterator>, 16> work{
      {marker->getParent(), std::next(marker->getIterator())}};
  while (!work.empty()) {
    auto [block, from] = work.pop_back_val();
    for (auto it = from; it != block->end(); ++it) {
      const CallInst *touch = asTouch(*it);
      if (touch && cast<ConstantInt>(touch->getArgOperand(2))->getZExtValue() == TUTTI_READ) {
        reason_ = "it reads shared variables after a reduction";
        reasonLocation_ = touch->getDebugLoc();
        return;
      }
    }
    for (BasicBlock *successor : successors(block)) {
      if (seen.insert(successor).second) {
        work.push_back({successor, successor->begin()});
      }
    }
  }
  marker->eraseFromParent();
}

/// `collapse` divides the common counter by the extents of the inner loops. In a chunk that stays
/// inside a row, quotients are constant and remainders are the counter less a constant.
void ChunkModel::splitRows(FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(*function_);
  auto &scev = analyses.getResult<ScalarEvolutionAnalysis>(*function_);
  const ClosedForms forms(*this, scev);
  SmallVector<BinaryOperator *, 4> divisions;
  const SmallPtrSet<Value *, 32> shaping = shapers();
  ReversePostOrderTraversal<Function *> blocks(function_);
  for (BasicBlock *block : blocks) {
    for (Instruction &inst : *block) {
      if (inst.isIntDivRem() && loops.getLoopFor(block) && shaping.contains(&inst)) {
        divisions.push_back(cast<BinaryOperator>(&inst));
      }
    }
  }
  for (BinaryOperator *division : divisions) {
    Loop *loop = loops.getLoopFor(division->getParent())->getOutermostLoop();
    Value *divisor = division->getOperand(1);
    const auto *counter = dyn_cast<SCEVAddRecExpr>(scev.getSCEV(division->getOperand(0)));
    BasicBlock *before = loop->getLoopPreheader();
    if (!before || !loop->isLoopInvariant(divisor) || !counter || counter->getLoop() != loop ||
        !counter->isAffine() || !counter->getStepRecurrence(scev)->isOne() ||
        !forms.isClosed(counter->getStart()) || !forms.isClosed(divisor)) {
      continue;
    }
    SCEVExpander expander(scev, function_->getDataLayout(), "row");
    Value *first =
        expander.expandCodeFor(counter->getStart(), divisor->getType(), before->getTerminator());
    const auto opcode = division->getOpcode();
    const bool isSigned = opcode == Instruction::SDiv || opcode == Instruction::SRem;
    IRBuilder<> build(before->getTerminator());
    Value *quotient =
        isSigned ? build.CreateSDiv(first, divisor) : build.CreateUDiv(first, divisor);
    Value *result = quotient;
    if (opcode == Instruction::SRem || opcode == Instruction::URem) {
      Value *base = build.CreateMul(quotient, divisor);
      build.SetInsertPoint(division);
      result = build.CreateSub(division->getOperand(0), base);
    }
    scev.forgetLoop(loop);
    scev.forgetValue(division);
    division->replaceAllUsesWith(result);
    division->eraseFromParent();
    rows_.push_back({first, divisor, isSigned});
  }
  if (!rows_.empty()) {
    analyses.invalidate(*function_, PreservedAnalyses::none());
  }
}

/// Gives all iterations of the chunk what is computed from the number of the first: quotients of it
/// have no closed form otherwise, nor have conditions on it.
void ChunkModel::takeFirstIteration() {
  auto &loops = analyses_.getResult<LoopAnalysis>(*function_);
  auto &scev = analyses_.getResult<ScalarEvolutionAnalysis>(*function_);
  const ClosedForms forms(*this, scev);
  SCEVExpander expander(scev, function_->getDataLayout(), "first");
  SmallVector<std::pair<Instruction *, Value *>, 4> firsts;
  for (Loop *loop : loops) {
    BasicBlock *before = loop->getLoopPreheader();
    BasicBlock *latch = loop->getLoopLatch();
    const SCEV *taken = scev.getBackedgeTakenCount(loop);
    const bool isChunk = SCEVExprContains(taken, [this](const SCEV *part) {
      const auto *unknown = dyn_cast<SCEVUnknown>(part);
      return unknown && (unknown->getValue() == lower_ || unknown->getValue() == upper_);
    });
    if (!before || !latch || !isChunk) {
      continue;
    }
    for (PHINode &phi : loop->getHeader()->phis()) {
      const auto *counter =
          scev.isSCEVable(phi.getType()) ? dyn_cast<SCEVAddRecExpr>(scev.getSCEV(&phi)) : nullptr;
      auto *next = dyn_cast<Instruction>(phi.getIncomingValueForBlock(latch));
      const auto *later = counter && next ? dyn_cast<SCEVAddRecExpr>(scev.getSCEV(next)) : nullptr;
      if (!later || counter->getLoop() != loop || later->getLoop() != loop ||
          !forms.isClosed(counter->getStart()) || !forms.isClosed(later->getStart())) {
        continue;
      }
      Instruction *place = before->getTerminator();
      firsts.emplace_back(&phi, expander.expandCodeFor(counter->getStart(), phi.getType(), place));
      firsts.emplace_back(next, expander.expandCodeFor(later->getStart(), phi.getType(), place));
      isOfOneIteration_ = true;
    }
    for (auto [counter, first] : firsts) {
      counter->replaceUsesWithIf(first, [&](const Use &use) {
        const auto *user = cast<Instruction>(use.getUser());
        const bool isCount = any_of(firsts, [&](const auto &other) { return other.first == user; });
        const bool isTest =
            isa<ICmpInst>(user) && user->hasOneUse() && user->user_back() == latch->getTerminator();
        return !isCount && !isTest && loop->contains(user);
      });
    }
    firsts.clear();
  }
  analyses_.invalidate(*function_, PreservedAnalyses::none());
}

namespace {

/// Whether `pointer` is a capture or a variable, give or take an offset.
bool isDirect(const Value *pointer) {
  const Value *object = getUnderlyingObject(pointer);
  return isa<Argument>(object) || isa<GlobalVariable>(object);
}

/// Whether a value may have so many bytes.
bool isValueSize(std::uint64_t bytes) { return bytes <= 8 && isPowerOf2_64(bytes); }

} // namespace

bool ChunkModel::isAlwaysValue(const LoadInst &load) {
  const DataLayout &layout = load.getDataLayout();
  const TypeSize bytes = layout.getTypeStoreSize(load.getType());
  APInt offset(64, 0);
  const Value *base = load.getPointerOperand()->stripAndAccumulateConstantOffsets(
      layout, offset, /*AllowNonInbounds=*/true);
  return load.isSimple() && !bytes.isScalable() && isValueSize(bytes.getFixedValue()) &&
         isa<Argument, GlobalVariable>(base);
}

/// Whether `address` can be computed at the entry from captures, globals and earlier values.
bool ChunkModel::isHoistable(Value *address) {
  if (isa<Constant>(address)) {
    return true;
  }
  if (auto *argument = dyn_cast<Argument>(address)) {
    return captureIndex(argument) >= 0;
  }
  auto *inst = dyn_cast<Instruction>(address);
  if (!inst) {
    return false;
  }
  if (auto *load = dyn_cast<LoadInst>(inst)) {
    return is_contained(values_, load);
  }
  if (!isa<GetElementPtrInst>(inst) && !isa<CastInst>(inst) &&
      !(isa<BinaryOperator>(inst) && !inst->isIntDivRem())) {
    return false;
  }
  return all_of(inst->operands(), [this](Use &use) { return isHoistable(use.get()); });
}

/// Moves the computation of `value` in front of the entry's terminator.
void ChunkModel::moveToEntry(Value *value) {
  auto *inst = dyn_cast<Instruction>(value);
  BasicBlock &entry = function_->getEntryBlock();
  if (!inst || inst->getParent() == &entry) {
    return;
  }
  for (Use &use : inst->operands()) {
    moveToEntry(use.get());
  }
  inst->dropUnknownNonDebugMetadata();
  inst->dropPoisonGeneratingFlags();
  inst->moveBefore(entry.getTerminator());
}

void ChunkModel::hoistValues() {
  // Values found by an earlier round may have been merged or removed by the clean-up since.
  values_.clear();
  bool changed = true;
  while (changed) {
    changed = false;
    SmallVector<LoadInst *, 16> candidates;
    for (Instruction &inst : instructions(*function_)) {
      auto *load = dyn_cast<LoadInst>(&inst);
      if (!load || !load->isSimple() || is_contained(values_, load)) {
        continue;
      }
      if (isValueType(*load->getType()) &&
          memoryKind(load->getPointerOperand()) == MemoryKind::Shared &&
          isHoistable(load->getPointerOperand())) {
        candidates.push_back(load);
      }
    }
    for (LoadInst *load : candidates) {
      LoadInst *known = nullptr;
      moveToEntry(load->getPointerOperand());
      for (LoadInst *value : values_) {
        const bool comesLater =
            load->getParent() == &function_->getEntryBlock() && load->comesBefore(value);
        if (value->getPointerOperand() == load->getPointerOperand() &&
            value->getType() == load->getType() && !comesLater) {
          known = value;
        }
      }
      if (known) {
        load->replaceAllUsesWith(known);
        load->eraseFromParent();
      } else {
        if (load->getParent() != &function_->getEntryBlock()) {
          moveToEntry(load);
        }
        load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(load->getContext(), {}));
        values_.push_back(load);
      }
      changed = true;
    }
  }
}

namespace {

/// Moves `inst` and what it is computed from out of `loop`, in which it does not vary.
void moveOut(Value *value, Loop &loop) {
  auto *inst = dyn_cast<Instruction>(value);
  if (!inst || !loop.contains(inst)) {
    return;
  }
  for (Use &use : inst->operands()) {
    moveOut(use.get(), loop);
  }
  inst->dropUnknownNonDebugMetadata();
  inst->dropPoisonGeneratingFlags();
  inst->moveBefore(loop.getLoopPreheader()->getTerminator());
}

/// Whether `value` is computed from what lies outside of `loop`.
bool isSteady(Value *value, const Loop &loop) {
  auto *inst = dyn_cast<Instruction>(value);
  if (!inst || !loop.contains(inst)) {
    return true;
  }
  return (isa<GetElementPtrInst, CastInst>(inst) ||
          (isa<BinaryOperator>(inst) && !inst->isIntDivRem())) &&
         all_of(inst->operands(), [&](Use &use) { return isSteady(use.get(), loop); });
}

} // namespace

/// Moves `load` in front of the loops in which its address does not vary. Whether there are any.
bool ChunkModel::raise(LoadInst &load, LoopInfo &loops) {
  Loop *own = loops.getLoopFor(load.getParent());
  Loop *loop = own;
  for (; loop && loop->getLoopPreheader() && isSteady(load.getPointerOperand(), *loop);
       loop = loop->getParentLoop()) {
    moveOut(load.getPointerOperand(), *loop);
    load.moveBefore(loop->getLoopPreheader()->getTerminator());
  }
  return loop != own;
}

/// Loads pointers where they begin to be the same, so that addresses are recurrences of the loops
/// inside, and once for all that is accessed through them. Always: every load that this moves, or
/// that is merged with others as if nothing wrote between them, is marked. Whether there are any.
bool ChunkModel::raisePointers() {
  auto &loops = analyses_.getResult<LoopAnalysis>(*function_);
  auto &scev = analyses_.getResult<ScalarEvolutionAnalysis>(*function_);
  SmallPtrSet<const Value *, 8> bases;
  for (Instruction &inst : instructions(*function_)) {
    if (CallInst *touch = asTouch(inst)) {
      bases.insert(getUnderlyingObject(touch->getArgOperand(0), 0));
    }
  }
  const SmallPtrSet<Value *, 32> shaping = shapers();
  WalkFinder finder(*this, loops, scev);
  SmallVector<LoadInst *, 8> found;
  ReversePostOrderTraversal<Function *> blocks(function_);
  for (BasicBlock *block : blocks) {
    for (Instruction &inst : *block) {
      auto *load = dyn_cast<LoadInst>(&inst);
      if (load && shaping.contains(load) && loops.getLoopFor(block) && finder.isFollowable(*load)) {
        found.push_back(load);
      }
    }
  }
  bool areMarked = false;
  for (LoadInst *load : found) {
    const bool moves = raise(*load, loops);
    if ((!moves && !bases.contains(load)) || load->hasMetadata(LLVMContext::MD_invariant_load)) {
      continue;
    }
    load->dropUnknownNonDebugMetadata();
    load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(load->getContext(), {}));
    insertMarker(kRaisedMarker, {load}, load->getNextNode());
    areMarked = true;
  }
  analyses_.invalidate(*function_, PreservedAnalyses::none());
  return areMarked;
}

/// All that addresses, extents and conditions are computed from.
SmallPtrSet<Value *, 32> ChunkModel::shapers() {
  SmallPtrSet<Value *, 32> found;
  SmallVector<Value *, 32> work;
  for (Instruction &inst : instructions(*function_)) {
    if (asTouch(inst) || inst.isTerminator()) {
      work.append(inst.op_begin(), inst.op_end());
    }
  }
  if (CallInst *trip = tripMarker()) {
    work.append(trip->arg_begin(), trip->arg_end());
  }
  // What is kept anyway needs its own address.
  for (LoadInst *value : values_) {
    if (isDirect(value->getPointerOperand())) {
      work.push_back(value->getPointerOperand());
    }
  }
  while (!work.empty()) {
    auto *inst = dyn_cast<Instruction>(work.pop_back_val());
    if (inst && found.insert(inst).second) {
      work.append(inst->op_begin(), inst->op_end());
    }
  }
  return found;
}

/// Settles which reads at invariant addresses are values: those that shape the accesses, and
/// scalars that captures lead to directly, whatever the model still needs them for. Elements of
/// arrays that happen to be read at a fixed place stay ordinary reads.
void ChunkModel::adoptReads() {
  const DataLayout &layout = function_->getDataLayout();
  Instruction *entryEnd = function_->getEntryBlock().getTerminator();
  const SmallPtrSet<Value *, 32> shaping = shapers();
  const bool readsInPlace = function_->hasFnAttribute(kReadsInPlace);
  erase_if(values_, [&](LoadInst *value) {
    return !shaping.contains(value) && (readsInPlace || !isDirect(value->getPointerOperand()));
  });
  for (Instruction &inst : make_early_inc_range(instructions(*function_))) {
    CallInst *touch = asTouch(inst);
    const auto *bytes = touch ? dyn_cast<ConstantInt>(touch->getArgOperand(1)) : nullptr;
    if (!bytes || cast<ConstantInt>(touch->getArgOperand(2))->getZExtValue() != TUTTI_READ ||
        !isValueSize(bytes->getZExtValue()) || !isHoistable(touch->getArgOperand(0))) {
      continue;
    }
    Value *pointer = touch->getArgOperand(0);
    const bool isKnown = any_of(values_, [&](LoadInst *value) {
      return value->getPointerOperand() == pointer &&
             layout.getTypeStoreSize(value->getType()) == bytes->getZExtValue();
    });
    if (!isKnown && (readsInPlace || !isDirect(pointer))) {
      continue;
    }
    if (!isKnown) {
      moveToEntry(pointer);
      Type *type = Type::getIntNTy(inst.getContext(), 8 * bytes->getZExtValue());
      values_.push_back(new LoadInst(type, pointer, "", entryEnd->getIterator()));
    }
    const std::optional<unsigned> number = accessNumber(*touch);
    hasAdoptedAnother_ = hasAdoptedAnother_ || !number;
    if (number) {
      adopted_.insert(*number);
    }
    touch->eraseFromParent();
  }
  for (Instruction &inst : instructions(*function_)) {
    const CallInst *touch = asTouch(inst);
    const std::optional<unsigned> number = touch ? accessNumber(*touch) : std::nullopt;
    if (number && cast<ConstantInt>(touch->getArgOperand(2))->getZExtValue() == TUTTI_READ) {
      announced_.insert(*number);
    }
  }
}

bool ChunkModel::announcesReads(unsigned number) const {
  return !hasAdoptedAnother_ && announced_.contains(number) && !adopted_.contains(number);
}

} // namespace tutti::compiler
