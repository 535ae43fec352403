// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/chunk_function.h"

#include "abi/abi.h"
#include "compiler/analysis/chunk_model.h"
#include "compiler/analysis/endings.h"
#include "compiler/ir/construct_calls.h"
#include "compiler/ir/entry_points.h"
#include "compiler/ir/function_copies.h"
#include "compiler/ir/library_functions.h"
#include "compiler/ir/output_calls.h"
#include "compiler/transform/cache_blocks.h"
#include "compiler/transform/leave_loop.h"
#include "compiler/transform/pointer_checks.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <cstddef>

using namespace llvm;

namespace tutti::compiler {

SmallVector<Use *, 2> dereferences(Instruction &inst) {
  if (auto *load = dyn_cast<LoadInst>(&inst)) {
    return {&load->getOperandUse(LoadInst::getPointerOperandIndex())};
  }
  if (auto *store = dyn_cast<StoreInst>(&inst)) {
    return {&store->getOperandUse(StoreInst::getPointerOperandIndex())};
  }
  if (auto *transfer = dyn_cast<AnyMemTransferInst>(&inst)) {
    return {&transfer->getRawDestUse(), &transfer->getRawSourceUse()};
  }
  if (auto *memory = dyn_cast<AnyMemIntrinsic>(&inst)) {
    return {&memory->getRawDestUse()};
  }
  if (CallInst *check = asPointerCheck(inst)) {
    return {&check->getArgOperandUse(kReachOperand)};
  }
  SmallVector<Use *, 2> read;
  auto *call = dyn_cast<CallInst>(&inst);
  if (const auto use = call ? argumentUse(*call) : std::nullopt) {
    for (Use &arg : call->args()) {
      if ((use->onlyRead & 1U << call->getArgOperandNo(&arg)) != 0 &&
          !isa<ConstantPointerNull>(arg)) {
        read.push_back(&arg);
      }
    }
  }
  if (const auto output = call ? asOutputCall(*call) : std::nullopt) {
    for (const unsigned operand : output->read) {
      read.push_back(&call->getArgOperandUse(operand));
    }
  }
  return read;
}

std::optional<SmallVector<ReductionSlot, 4>> reductionSlots(CallInst &reduce) {
  const DataLayout &layout = reduce.getDataLayout();
  auto *count = dyn_cast<ConstantInt>(reduce.getArgOperand(2));
  auto *list = dyn_cast<AllocaInst>(reduce.getArgOperand(4));
  if (!count || !list) {
    return std::nullopt;
  }
  SmallVector<ReductionSlot, 4> slots(layout.getTypeAllocSize(list->getAllocatedType()) / 8);
  SmallVector<bool, 4> filled(slots.size());
  for (Instruction &inst : instructions(*reduce.getFunction())) {
    auto *store = dyn_cast<StoreInst>(&inst);
    APInt offset(64, 0);
    if (!store || store->getPointerOperand()->stripAndAccumulateConstantOffsets(
                      layout, offset, /*AllowNonInbounds=*/true) != list) {
      continue;
    }
    const std::uint64_t index = offset.getZExtValue() / 8;
    Value *stored = store->getValueOperand();
    if (index >= slots.size() || filled[index] || !stored->getType()->isPointerTy()) {
      return std::nullopt;
    }
    filled[index] = true;
    if (auto *copy = dyn_cast<AllocaInst>(stored)) {
      slots[index] = {layout.getTypeAllocSize(copy->getAllocatedType()), copy->getArraySize(),
                      copy};
    } else if (!isa<IntToPtrInst>(stored) && !isa<ConstantExpr>(stored)) {
      return std::nullopt;
    }
  }
  if (!all_of(filled, [](bool isFilled) { return isFilled; })) {
    return std::nullopt;
  }
  return slots;
}

namespace {

class ChunkWriter {
public:
  ChunkWriter(Function &function)
      : function_(function), entryPoints_(*function.getParent()),
        chunk_(function.getArg(function.arg_size() - 1)), last_(findLastBlocks(function)),
        exits_(findExits(function)) {}

  void replaceCalls();
  void translateDereferences();

private:
  void replaceReduce(CallInst &reduce);
  void replaceOutput(CallInst &call);
  Value *isWhole();
  Value *translated(Value *pointer, Instruction *user);
  Value *translatedRoot(Value *root);
  Value *moved(IRBuilder<> &build, Value *pointer);

  Function &function_;
  EntryPoints entryPoints_;
  Argument *chunk_;
  SmallPtrSet<BasicBlock *, 8> last_;  ///< That end the program,
  SmallPtrSet<BasicBlock *, 8> exits_; ///< and those that leave that to rank 0.
  Value *delta_ = nullptr;
  Value *isWhole_ = nullptr;
  DenseMap<Value *, Value *> known_;
};

void ChunkWriter::replaceCalls() {
  SmallVector<CallInst *, 16> calls;
  for (Instruction &inst : instructions(function_)) {
    auto *call = dyn_cast<CallInst>(&inst);
    if (call && call->getCalledFunction()) {
      calls.push_back(call);
    }
  }
  for (CallInst *call : calls) {
    const CallKind kind = kindOf(*call);
    if (isInit(kind) || kind == CallKind::DispatchNext) {
      SmallVector<Value *, 10> operands{chunk_};
      operands.append(call->arg_begin(), call->arg_end());
      IRBuilder<> build(call);
      call->replaceAllUsesWith(build.CreateCall(entryPoints_.loopHook(*call), operands));
      call->eraseFromParent();
    } else if (kind == CallKind::Reduce) {
      replaceReduce(*call);
    } else if (isEndReduce(kind)) {
      call->moveBefore(SplitBlockAndInsertIfThen(isWhole(), call, /*Unreachable=*/false));
    } else if (!last_.contains(call->getParent()) || exits_.contains(call->getParent())) {
      replaceOutput(*call);
    }
  }
}

/// What is printed goes to rank 0, but for what stands in front of an end that does not: that is
/// told at once, by the rank that ends the job.
void ChunkWriter::replaceOutput(CallInst &call) {
  IRBuilder<> build(&call);
  if (isExit(call)) {
    build.CreateCall(entryPoints_.exit(), {chunk_, call.getArgOperand(0)});
    call.eraseFromParent();
    return;
  }
  const std::optional<OutputCall> output = asOutputCall(call);
  if (!output) {
    return;
  }
  Type *ptr = build.getPtrTy();
  if (output->isInsertion) {
    Value *object = call.getArgOperand(*output->stream);
    if (isStreamObject(object)) { // Else it is what another call has given.
      redirect(call, *build.CreateCall(entryPoints_.outputObject(),
                                       {chunk_, object, build.getInt32(isErrorObject(object))}));
    }
    return;
  }
  Value *stream =
      output->stream
          ? call.getArgOperand(*output->stream)
          : build.CreateLoad(ptr, function_.getParent()->getOrInsertGlobal("stdout", ptr));
  redirect(call, *build.CreateCall(entryPoints_.output(), {chunk_, stream}));
}

Value *ChunkWriter::isWhole() {
  if (!isWhole_) {
    IRBuilder<> build(&*function_.getEntryBlock().getFirstInsertionPt());
    Value *total = build.CreateLoad(
        build.getInt64Ty(),
        build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), chunk_, offsetof(tutti_chunk, total)));
    isWhole_ = build.CreateICmpEQ(total, build.getInt64(TUTTI_WHOLE));
  }
  return isWhole_;
}

/// Asks libomp in the whole construct, Tutti in a chunk. What libomp's answer 2 leads to is never
/// reached from a chunk.
void ChunkWriter::replaceReduce(CallInst &reduce) {
  const SmallVector<ReductionSlot, 4> slots = *reductionSlots(reduce);
  IRBuilder<> entry(&*function_.getEntryBlock().getFirstInsertionPt());
  Value *sizes = entry.CreateAlloca(ArrayType::get(entry.getInt64Ty(), slots.size()));
  Instruction *whole = nullptr;
  Instruction *part = nullptr;
  SplitBlockAndInsertIfThenElse(isWhole(), &reduce, &whole, &part);
  IRBuilder<> build(part);
  build.SetCurrentDebugLocation(reduce.getDebugLoc());
  for (auto [index, slot] : enumerate(slots)) {
    Value *bytes = build.getInt64(0);
    if (slot.elements) {
      bytes = build.CreateMul(build.CreateZExtOrTrunc(slot.elements, build.getInt64Ty()),
                              build.getInt64(slot.elementBytes));
    }
    build.CreateStore(bytes, build.CreateConstInBoundsGEP1_64(build.getInt64Ty(), sizes, index));
  }
  Value *ofPart = build.CreateCall(entryPoints_.reduce(),
                                   {chunk_, reduce.getArgOperand(0), reduce.getArgOperand(1),
                                    build.getInt32(slots.size()), sizes, reduce.getArgOperand(4),
                                    reduce.getArgOperand(5)});
  build.SetInsertPoint(&reduce);
  PHINode *answer = build.CreatePHI(reduce.getType(), 2);
  reduce.replaceAllUsesWith(answer);
  reduce.moveBefore(whole);
  answer->addIncoming(&reduce, whole->getParent());
  answer->addIncoming(ofPart, part->getParent());
}

/// Bytes: the least page of the machines that are supported.
constexpr uint64_t kPage = 4096;

/// Behind an intrinsic that alias analysis looks through and address arithmetic does not, until
/// code is selected: else each address would be an expression in delta, too, which costs strength
/// reduction time and its good choices. The distance of two mappings is a multiple of a page, so
/// what is known of the alignment of an address holds there, too.
Value *ChunkWriter::moved(IRBuilder<> &build, Value *pointer) {
  const Align alignment = pointer->getPointerAlignment(function_.getDataLayout());
  auto *there = cast<CallInst>(
      build.CreateStripInvariantGroup(build.CreateGEP(build.getInt8Ty(), pointer, delta_)));
  there->addRetAttr(
      Attribute::getWithAlignment(there->getContext(), std::min(alignment, Align(kPage))));
  return there;
}

Value *ChunkWriter::translatedRoot(Value *root) {
  if (Value *known = known_.lookup(root)) {
    return known;
  }
  IRBuilder<> build(function_.getContext());
  if (auto *inst = dyn_cast<Instruction>(root)) {
    build.SetInsertPoint(*inst->getInsertionPointAfterDef());
  } else {
    build.SetInsertPoint(cast<Instruction>(delta_)->getNextNode());
  }
  Value *there = moved(build, root);
  known_[root] = there;
  return there;
}

/// The pointer that leads to the same datum in the compute view. Moves the root of a chain of
/// address computations rather than its end, so that one addition serves a whole array.
Value *ChunkWriter::translated(Value *pointer, Instruction *user) {
  if (auto *gep = dyn_cast<GetElementPtrInst>(pointer); gep && !gep->getType()->isVectorTy()) {
    if (Value *known = known_.lookup(gep)) {
      return known;
    }
    Value *base = translated(gep->getPointerOperand(), gep);
    auto *there = cast<GetElementPtrInst>(gep->clone());
    there->setOperand(GetElementPtrInst::getPointerOperandIndex(), base);
    there->insertAfter(gep);
    known_[gep] = there;
    return there;
  }
  auto *inst = dyn_cast<Instruction>(pointer);
  if (!inst || inst->getInsertionPointAfterDef()) {
    return translatedRoot(pointer); // Where loops further inside find it unchanged.
  }
  IRBuilder<> build(user);
  return moved(build, pointer);
}

void ChunkWriter::translateDereferences() {
  IRBuilder<> build(&*function_.getEntryBlock().getFirstInsertionPt());
  SmallVector<Use *, 64> uses;
  for (Instruction &inst : instructions(function_)) {
    for (Use *use : dereferences(inst)) {
      if (memoryKind(use->get()) == MemoryKind::Shared && !isStandardStream(&inst)) {
        uses.push_back(use);
      }
    }
  }
  delta_ = build.CreateLoad(build.getInt64Ty(), chunk_, "delta");
  for (Use *use : uses) {
    use->set(translated(use->get(), cast<Instruction>(use->getUser())));
  }
}

/// What is in the way of telling where `pointer`, of mixed kind, leads.
std::string describeOrigin(const Value *pointer) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(pointer, objects, nullptr, 0);
  for (const Value *object : objects) {
    const auto *global = dyn_cast<GlobalVariable>(object);
    const auto *intrinsic = dyn_cast<IntrinsicInst>(object);
    if ((global && global->isThreadLocal()) ||
        (intrinsic && intrinsic->getIntrinsicID() == Intrinsic::threadlocal_address)) {
      return "it uses thread-private variables";
    }
    if (isa<LoadInst>(object) && memoryKind(object) == MemoryKind::Mixed) {
      return "it follows a pointer that it keeps in a private variable";
    }
  }
  return "it reaches memory through a pointer whose origin is not known";
}

} // namespace

std::string whyNoChunkFunction(Function &outlined, const Worksharing &loop, DebugLoc &place) {
  for (CallInst *reduce : loop.reduce) {
    if (!reductionSlots(*reduce)) {
      return "it reduces a variable of unknown size";
    }
  }
  for (Instruction &inst : instructions(outlined)) {
    for (Use *use : dereferences(inst)) {
      if (memoryKind(use->get()) == MemoryKind::Mixed) {
        place = inst.getDebugLoc();
        return describeOrigin(use->get());
      }
    }
  }
  return {};
}

namespace {

/// A copy of `outlined` with the chunk as one more argument.
Function *copyWithChunk(Function &outlined, StringRef name) {
  SmallVector<Type *, 16> params(outlined.getFunctionType()->params());
  params.push_back(PointerType::getUnqual(outlined.getContext()));
  Function *function = Function::Create(FunctionType::get(outlined.getReturnType(), params, false),
                                        GlobalValue::InternalLinkage, name, outlined.getParent());
  ValueToValueMapTy map;
  for (Argument &argument : outlined.args()) {
    map[&argument] = function->getArg(argument.getArgNo());
  }
  copyInto(*function, outlined, map);
  function->setDSOLocal(true);
  return function;
}

/// In this order: the chunk itself lies in the runtime's memory.
void writeChunk(Function &function) {
  ChunkWriter writer(function);
  writer.translateDereferences();
  writer.replaceCalls();
}

} // namespace

Function *createChunkFunction(Function &outlined, StringRef name, FunctionAnalysisManager &analyses,
                              std::string &reason) {
  Function *function = copyWithChunk(outlined, name);
  addCacheBlocks(*function, analyses);
  writeChunk(*function);
  reason = leaveLoopsAtExits(*function, analyses);
  if (!reason.empty()) {
    analyses.clear(*function, function->getName());
    function->eraseFromParent();
    return nullptr;
  }
  return function;
}

Function *createChasingFunction(Function &outlined, StringRef name,
                                FunctionAnalysisManager &analyses, std::string &reason) {
  Function *function = copyWithChunk(outlined, name);
  markFoundPointers(*function, *EntryPoints(*outlined.getParent()).reach(), analyses);
  writeChunk(*function);
  reason = expandPointerChecks(*function, analyses);
  if (!reason.empty()) {
    analyses.clear(*function, function->getName());
    function->eraseFromParent();
    return nullptr;
  }
  return function;
}

} // namespace tutti::compiler
