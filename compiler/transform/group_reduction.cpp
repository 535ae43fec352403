// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/group_reduction.h"

#include "compiler/ir/construct_calls.h"
#include "compiler/ir/kernel.h"
#include "compiler/ir/kernel_calls.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Of a group's local memory, 48 KiB everywhere: leaves room for groups of 32.
constexpr unsigned kMaxPartialBytes = 1536;
constexpr unsigned kSlotAlignment = 16;

std::uint64_t slotBytes(const ReductionSlot &slot) {
  const std::uint64_t count = cast<ConstantInt>(slot.elements)->getZExtValue();
  return alignTo(slot.elementBytes * count, kSlotAlignment);
}

/// Whether `copy`, of `slot`, is a variable of the work-item.
bool isPrivate(const ReductionSlot &slot, const Value *copy) { return copy == slot.copy; }

struct Element {
  std::uint64_t offset;
  Type *type;
};

/// The scalars in `type`.
void appendElements(Type *type, std::uint64_t offset, const DataLayout &layout,
                    SmallVectorImpl<Element> &elements) {
  if (auto *structure = dyn_cast<StructType>(type)) {
    const StructLayout *fields = layout.getStructLayout(structure);
    for (unsigned index = 0; index < structure->getNumElements(); ++index) {
      appendElements(structure->getElementType(index), offset + fields->getElementOffset(index),
                     layout, elements);
    }
  } else if (auto *array = dyn_cast<ArrayType>(type)) {
    const std::uint64_t stride = layout.getTypeAllocSize(array->getElementType());
    for (std::uint64_t index = 0; index < array->getNumElements(); ++index) {
      appendElements(array->getElementType(), offset + index * stride, layout, elements);
    }
  } else {
    elements.push_back({offset, type});
  }
}

Value *elementAt(IRBuilder<> &build, Value *base, Value *index, unsigned bytes) {
  Value *wide = build.CreateZExt(index, build.getInt64Ty());
  return build.CreatePtrAdd(base, build.CreateMul(wide, build.getInt64(bytes)));
}

/// Writes, at the insertion point of `build`, a loop in which ever fewer work-items of a group
/// `take` what another one has. Leaves `build` where only the first one comes, which goes on to
/// `after` like the others.
void halve(IRBuilder<> &build, const KernelCalls &calls, BasicBlock *after,
           function_ref<void(Value *)> take) {
  LLVMContext &context = build.getContext();
  BasicBlock *before = build.GetInsertBlock();
  Function *function = before->getParent();
  BasicBlock *header = BasicBlock::Create(context, "halve", function, after);
  BasicBlock *wait = BasicBlock::Create(context, "wait", function, after);
  BasicBlock *taking = BasicBlock::Create(context, "take", function, after);
  BasicBlock *latch = BasicBlock::Create(context, "halved", function, after);
  BasicBlock *done = BasicBlock::Create(context, "reduced", function, after);
  BasicBlock *leave = BasicBlock::Create(context, "leave", function, after);
  Value *id = build.CreateCall(calls.localId());
  Value *half = build.CreateLShr(build.CreateCall(calls.localCount()), build.getInt32(1));
  build.CreateBr(header);

  build.SetInsertPoint(header);
  PHINode *distance = build.CreatePHI(build.getInt32Ty(), 2);
  build.CreateCondBr(build.CreateICmpEQ(distance, build.getInt32(0)), done, wait);

  build.SetInsertPoint(wait);
  build.CreateCall(calls.barrier());
  build.CreateCondBr(build.CreateICmpULT(id, distance), taking, latch);

  build.SetInsertPoint(taking);
  take(build.CreateAdd(id, distance));
  build.CreateBr(latch);

  build.SetInsertPoint(latch);
  Value *halved = build.CreateLShr(distance, build.getInt32(1));
  build.CreateBr(header);
  distance->addIncoming(half, before);
  distance->addIncoming(halved, latch);

  build.SetInsertPoint(done);
  build.CreateCondBr(build.CreateICmpEQ(id, build.getInt32(0)), leave, after);
  build.SetInsertPoint(leave);
}

class Writer {
public:
  Writer(CallInst &reduce, Function &combine, Value &partials)
      : reduce_(reduce), combine_(combine), partials_(partials), calls_(*combine.getParent()),
        slots_(*reductionSlots(reduce)), bytes_(layOutPartials(reduce).bytes) {}

  void write();

private:
  Value *place(IRBuilder<> &build, Value *base, Value *index) const;
  void moveArrays();
  Value *allocateOthers();
  void pointToOthers(IRBuilder<> &build, Value *list, Value *there) const;
  void copy(IRBuilder<> &build, Value *memory, bool toMemory, bool others, bool all) const;

  CallInst &reduce_;
  Function &combine_;
  Value &partials_;
  KernelCalls calls_;
  SmallVector<ReductionSlot, 4> slots_;
  SmallVector<Value *, 4> copies_;      ///< Of the work-item.
  SmallVector<AllocaInst *, 4> others_; ///< Room for another work-item's; null if not needed.
  unsigned bytes_;
};

Value *Writer::place(IRBuilder<> &build, Value *base, Value *index) const {
  return elementAt(build, base, index, bytes_);
}

/// Whether which element is accessed shows only when the kernel runs: registers have no index.
bool isIndexed(const AllocaInst &array) {
  SmallVector<const Value *, 8> work{&array};
  SmallPtrSet<const Value *, 8> seen;
  while (!work.empty()) {
    for (const User *user : work.pop_back_val()->users()) {
      const auto *address = dyn_cast<GetElementPtrInst>(user);
      if (isa<PHINode, SelectInst>(user) || (address && !address->hasAllConstantIndices())) {
        return true;
      }
      if (address && seen.insert(address).second) {
        work.push_back(address);
      }
    }
  }
  return false;
}

/// Arrays that cannot be in registers are in local memory from the beginning, where they end up
/// anyway; a work-item's private memory is slower.
void Writer::moveArrays() {
  IRBuilder<> build(&*reduce_.getFunction()->getEntryBlock().getFirstInsertionPt());
  Value *mine = nullptr;
  std::uint64_t offset = 0;
  for (const ReductionSlot &slot : slots_) {
    Value *variable = slot.copy;
    if (isIndexed(*slot.copy)) {
      if (!mine) {
        mine = place(build, build.CreateCall(calls_.localMemory()),
                     build.CreateCall(calls_.localId()));
      }
      variable = build.CreateConstGEP1_64(build.getInt8Ty(), mine, offset);
      for (User *user : make_early_inc_range(slot.copy->users())) {
        if (auto *marker = dyn_cast<LifetimeIntrinsic>(user)) {
          marker->eraseFromParent();
        }
      }
      slot.copy->replaceAllUsesWith(variable);
    }
    copies_.push_back(variable);
    offset += slotBytes(slot);
  }
}

/// Room for another work-item's copies; the list of pointers to them.
Value *Writer::allocateOthers() {
  IRBuilder<> build(&*reduce_.getFunction()->getEntryBlock().getFirstInsertionPt());
  Type *ptr = build.getPtrTy();
  Value *list = build.CreateAlloca(ArrayType::get(ptr, slots_.size()));
  for (auto [slot, copy] : zip_equal(slots_, copies_)) {
    AllocaInst *other = nullptr;
    if (isPrivate(slot, copy)) {
      other = build.CreateAlloca(slot.copy->getAllocatedType(), slot.elements);
      other->setAlignment(slot.copy->getAlign());
    }
    others_.push_back(other);
  }
  return list;
}

/// Fills the list with what the combiner is to add: copies of the work-item whose memory is
/// `there`.
void Writer::pointToOthers(IRBuilder<> &build, Value *list, Value *there) const {
  std::uint64_t offset = 0;
  for (auto [index, other] : enumerate(others_)) {
    Value *address = build.CreateConstGEP1_64(build.getInt8Ty(), there, offset);
    build.CreateStore(other ? other : address,
                      build.CreateConstInBoundsGEP1_64(build.getPtrTy(), list, index));
    offset += slotBytes(slots_[index]);
  }
}

/// Copies variables to or from `memory`; those that are in local memory only if `all`, and to it.
void Writer::copy(IRBuilder<> &build, Value *memory, bool toMemory, bool others, bool all) const {
  const DataLayout &layout = reduce_.getDataLayout();
  std::uint64_t slotOffset = 0;
  for (auto [index, slot] : enumerate(slots_)) {
    SmallVector<Element, 8> elements;
    const std::uint64_t count = cast<ConstantInt>(slot.elements)->getZExtValue();
    Value *variable = others ? others_[index] : copies_[index];
    if (isPrivate(slot, copies_[index])) {
      appendElements(ArrayType::get(slot.copy->getAllocatedType(), count), 0, layout, elements);
    } else if (all) {
      // Registers are copied one by one; this is memory already.
      Value *there = build.CreateConstGEP1_64(build.getInt8Ty(), memory, slotOffset);
      build.CreateMemCpy(there, Align(kSlotAlignment), variable, Align(kSlotAlignment),
                         slot.elementBytes * count);
    }
    for (const Element &element : elements) {
      Value *mine = build.CreateConstGEP1_64(build.getInt8Ty(), variable, element.offset);
      Value *there =
          build.CreateConstGEP1_64(build.getInt8Ty(), memory, slotOffset + element.offset);
      Value *value = build.CreateLoad(element.type, toMemory ? mine : there);
      build.CreateStore(value, toMemory ? there : mine);
    }
    slotOffset += slotBytes(slot);
  }
}

void Writer::write() {
  moveArrays();
  Value *otherList = allocateOthers();
  BasicBlock *before = reduce_.getParent();
  BasicBlock *after = SplitBlock(before, &reduce_);
  before->getTerminator()->eraseFromParent();
  IRBuilder<> build(before);
  Value *id = build.CreateCall(calls_.localId());
  Value *local = build.CreateCall(calls_.localMemory());
  Value *mine = place(build, local, id);
  copy(build, mine, true, false, false);
  halve(build, calls_, after, [&](Value *other) {
    Value *there = place(build, local, other);
    pointToOthers(build, otherList, there);
    copy(build, there, false, true, false);
    build.CreateCall(&combine_, {operandOf(reduce_, Role::List), otherList});
    copy(build, mine, true, false, false);
  });
  Value *group = build.CreateCall(calls_.groupId());
  copy(build, place(build, &partials_, group), true, false, true);
  build.CreateBr(after);

  reduce_.replaceAllUsesWith(ConstantInt::get(reduce_.getType(), 0));
  reduce_.eraseFromParent();
}

/// Writes a kernel that works on partial results where they lie.
class CombinerWriter {
public:
  CombinerWriter(const PartialLayout &layout, Function &combine)
      : layout_(layout), combine_(combine), calls_(*combine.getParent()) {}

  Function *write();

private:
  Value *at(IRBuilder<> &build, Value *base, Value *index) const {
    return elementAt(build, base, index, layout_.bytes);
  }

  void copy(IRBuilder<> &build, Value *to, Value *from) const {
    build.CreateMemCpy(to, Align(kSlotAlignment), from, Align(kSlotAlignment), layout_.bytes);
  }

  void fill(IRBuilder<> &build, Value *list, Value *partial) const;
  void add(IRBuilder<> &build, Value *other);
  void addOthers(IRBuilder<> &build, Value *first);

  const PartialLayout &layout_;
  Function &combine_;
  KernelCalls calls_;
  Function *function_ = nullptr;
  Value *mine_ = nullptr;
  Value *myList_ = nullptr;
  Value *otherList_ = nullptr;
};

/// Makes `list` that of the variables in `partial`.
void CombinerWriter::fill(IRBuilder<> &build, Value *list, Value *partial) const {
  std::uint64_t offset = 0;
  for (auto [index, size] : enumerate(layout_.sizes)) {
    build.CreateStore(build.CreateConstGEP1_64(build.getInt8Ty(), partial, offset),
                      build.CreateConstInBoundsGEP1_64(build.getPtrTy(), list, index));
    offset += alignTo(size, kSlotAlignment);
  }
}

void CombinerWriter::add(IRBuilder<> &build, Value *other) {
  fill(build, myList_, mine_);
  fill(build, otherList_, other);
  build.CreateCall(&combine_, {myList_, otherList_});
}

/// Adds those that are a multiple of the grid's size behind `first`.
void CombinerWriter::addOthers(IRBuilder<> &build, Value *first) {
  LLVMContext &context = build.getContext();
  BasicBlock *before = build.GetInsertBlock();
  BasicBlock *header = BasicBlock::Create(context, "others", function_);
  BasicBlock *body = BasicBlock::Create(context, "other", function_);
  BasicBlock *after = BasicBlock::Create(context, "all", function_);
  Value *step = build.CreateCall(calls_.itemCount(), build.getInt32(0));
  Value *second = build.CreateNSWAdd(first, step);
  build.CreateBr(header);

  build.SetInsertPoint(header);
  PHINode *index = build.CreatePHI(build.getInt64Ty(), 2);
  build.CreateCondBr(build.CreateICmpSLT(index, function_->getArg(kernel::Upper)), body, after);

  build.SetInsertPoint(body);
  add(build, at(build, function_->getArg(kernel::Arena), index));
  index->addIncoming(second, before);
  index->addIncoming(build.CreateNSWAdd(index, step), body);
  build.CreateBr(header);
  build.SetInsertPoint(after);
}

Function *CombinerWriter::write() {
  Module &module = *combine_.getParent();
  LLVMContext &context = module.getContext();
  Type *i64 = Type::getInt64Ty(context);
  Type *ptr = PointerType::getUnqual(context);
  Type *none = Type::getVoidTy(context);
  function_ = Function::Create(FunctionType::get(none, {ptr, i64, i64, i64, i64, i64, ptr}, false),
                               GlobalValue::ExternalLinkage, "", module);
  IRBuilder<> build(BasicBlock::Create(context, "entry", function_));
  Type *list = ArrayType::get(ptr, layout_.sizes.size());
  myList_ = build.CreateAlloca(list);
  otherList_ = build.CreateAlloca(list);
  Value *local = build.CreateCall(calls_.localMemory());
  mine_ = at(build, local, build.CreateCall(calls_.localId()));
  Value *first = build.CreateCall(calls_.itemId(), build.getInt32(0));
  copy(build, mine_, at(build, function_->getArg(kernel::Arena), first));
  addOthers(build, first);

  BasicBlock *after = BasicBlock::Create(context, "end", function_);
  halve(build, calls_, after, [&](Value *other) { add(build, at(build, local, other)); });
  Value *group = build.CreateCall(calls_.groupId());
  copy(build, at(build, function_->getArg(kernel::Partials), group), mine_);
  build.CreateBr(after);
  build.SetInsertPoint(after);
  build.CreateRetVoid();
  return function_;
}

} // namespace

PartialLayout layOutPartials(CallInst &reduce) {
  PartialLayout partials;
  const auto slots = reductionSlots(reduce);
  if (!slots) {
    partials.reason = "it reduces a variable of unknown size";
    return partials;
  }
  for (const ReductionSlot &slot : *slots) {
    const auto *count = slot.copy ? dyn_cast<ConstantInt>(slot.elements) : nullptr;
    if (!count) {
      partials.reason = "it reduces a variable whose size is not constant";
      return partials;
    }
    partials.sizes.push_back(slot.elementBytes * count->getZExtValue());
    partials.bytes += alignTo(partials.sizes.back(), kSlotAlignment);
    if (partials.bytes > kMaxPartialBytes) {
      partials.reason = "it reduces variables of more than 1536 bytes";
      return partials;
    }
  }
  return partials;
}

void reduceInGroup(CallInst &reduce, Function &combine, Value &partials) {
  Writer(reduce, combine, partials).write();
}

Function *createCombiner(const PartialLayout &layout, Function &combine) {
  return CombinerWriter(layout, combine).write();
}

} // namespace tutti::compiler
