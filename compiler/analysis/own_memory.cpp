// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/own_memory.h"

#include "compiler/analysis/worksharing.h"
#include "compiler/ir/library_functions.h"
#include "compiler/ir/output_calls.h"
#include "compiler/ir/private_memory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

constexpr unsigned kPointerBits = 64;

/// Whether values of `type` may be addresses, or hold some.
bool mayHoldAddress(const Type &type) {
  const Type *scalar = type.getScalarType();
  return scalar->isPointerTy() || type.isAggregateType() ||
         (scalar->isIntegerTy() && scalar->getIntegerBitWidth() >= kPointerBits);
}

/// Whether the program says that what `access` loads or stores is a number. Copies of pointers may
/// be integers, but not of a type of numbers, unless the program itself makes pointers of these.
bool isOfNumbers(const Instruction &access) {
  const MDNode *tag = access.getMetadata(LLVMContext::MD_tbaa);
  if (!tag || tag->getNumOperands() < 3) {
    return false;
  }
  const auto *accessed = dyn_cast<MDNode>(tag->getOperand(1));
  const auto *name = accessed && accessed->getNumOperands() > 0
                         ? dyn_cast<MDString>(accessed->getOperand(0))
                         : nullptr;
  return name && StringSwitch<bool>(name->getString())
                     .Cases("short", "int", "long", "long long", "__int128", "bool", "_Bool", true)
                     .Default(name->getString().starts_with("_ZTS")); // Of an enumeration.
}

/// A part of a variable that is told from others.
struct Part {
  std::uint64_t offset;
  std::uint64_t bytes;
  bool isRange; ///< One moves freely within it, and not out of it; no record begins where it does.
};

/// The parts of `type`. Within arrays and unions nothing is told apart.
void listParts(Type &type, std::uint64_t offset, bool isFirst, const DataLayout &layout,
               SmallVectorImpl<Part> &parts) {
  auto *record = dyn_cast<StructType>(&type);
  const bool isUnion = record && record->hasName() && record->getName().starts_with("union.");
  if (!record || isUnion) {
    const std::uint64_t bytes = layout.getTypeAllocSize(&type).getFixedValue();
    if (bytes > 0) {
      parts.push_back({offset, bytes, !isFirst && (isUnion || isa<ArrayType>(type))});
    }
    return;
  }
  const StructLayout &places = *layout.getStructLayout(record);
  for (auto [index, element] : enumerate(record->elements())) {
    const std::uint64_t within = places.getElementOffset(index);
    listParts(*element, offset + within, within == 0, layout, parts);
  }
}

/// Whether `inst` is a distance. What is computed with it from an address leads to where that does.
bool isDistance(const Instruction &inst) {
  return inst.getOpcode() == Instruction::Sub &&
         all_of(inst.operands(), [](const Use &operand) { return isa<PtrToIntInst>(operand); });
}

bool isConstantData(const Value &value) {
  const auto *variable = dyn_cast<GlobalVariable>(&value);
  return isa<ConstantData, Function>(value) ||
         (variable && variable->isConstant() && variable->hasInitializer());
}

} // namespace

OwnMemory::OwnMemory(Function &function) : layout_(function.getDataLayout()) {
  classes_.push_back({kForeign, kForeign});
  for (const Instruction &inst : instructions(function)) {
    take(inst);
  }
}

OwnMemory::Node OwnMemory::create() {
  const Node node = classes_.size();
  classes_.push_back({node});
  return node;
}

OwnMemory::Node OwnMemory::find(Node node) {
  while (classes_[node].parent != node) {
    classes_[node].parent = classes_[classes_[node].parent].parent;
    node = classes_[node].parent;
  }
  return node;
}

OwnMemory::Node OwnMemory::foundAt(Node node) {
  node = find(node);
  if (classes_[node].found == kNone) {
    const Node found = create();
    classes_[node].found = found;
  }
  return find(classes_[node].found);
}

/// A field is a class of its own; what may be that or something else is all of its variable.
void OwnMemory::joinFields(Node node) {
  const Node object = classes_[find(node)].object;
  const auto fields = fields_.find(object);
  if (object == kNone || fields == fields_.end()) {
    return;
  }
  const Fields joined = std::move(fields->second);
  fields_.erase(fields);
  for (const Field &field : joined) {
    classes_[find(field.node)].object = kNone;
  }
  for (const Field &field : joined) {
    unify(joined.front().node, field.node);
  }
}

void OwnMemory::joinAll(const AllocaInst &variable) {
  const auto fields = fields_.find(targets_.lookup(&variable));
  if (fields == fields_.end()) {
    return;
  }
  const Fields touched = fields->second;
  for (const Field &field : touched) {
    joinFields(field.node);
  }
}

void OwnMemory::unify(Node one, Node other) {
  SmallVector<std::pair<Node, Node>, 8> work{{one, other}};
  while (!work.empty()) {
    auto [first, second] = work.pop_back_val();
    if (find(first) == find(second)) {
      continue;
    }
    joinFields(first);
    joinFields(second);
    first = find(first);
    second = find(second);
    if (first == second) {
      continue;
    }
    if (second == kForeign) {
      std::swap(first, second);
    }
    classes_[second].parent = first;
    const Node found = classes_[second].found;
    if (found != kNone && classes_[first].found != kNone) {
      work.emplace_back(classes_[first].found, found);
    } else if (found != kNone) {
      classes_[first].found = found;
    }
  }
}

OwnMemory::Node OwnMemory::targetOfVariable(const AllocaInst &variable) {
  SmallVector<Part, 8> parts;
  if (!isa<ScalableVectorType>(variable.getAllocatedType())) {
    listParts(*variable.getAllocatedType(), 0, /*isFirst=*/true, layout_, parts);
  }
  const Node first = create();
  if (parts.size() < 2 || variable.isArrayAllocation()) {
    return first;
  }
  Fields fields;
  for (const Part &part : parts) {
    const Node node = fields.empty() ? first : create();
    fields.push_back({part.offset, part.bytes, node});
    classes_[node].object = part.isRange ? kNone : first;
  }
  fields_[first] = std::move(fields);
  return first;
}

/// `pointer` is computed from one that leads to `base`.
OwnMemory::Node OwnMemory::targetOfField(const Value &pointer, Node base) {
  APInt offset(layout_.getIndexTypeSizeInBits(pointer.getType()), 0);
  const Value *start = pointer.stripAndAccumulateConstantOffsets(layout_, offset,
                                                                 /*AllowNonInbounds=*/true);
  const auto *variable = dyn_cast<AllocaInst>(start);
  const auto fields = variable ? fields_.find(targets_.lookup(variable)) : fields_.end();
  if (fields != fields_.end()) {
    for (const Field &field : fields->second) {
      if (offset.uge(field.offset) && offset.ult(field.offset + field.bytes)) {
        return field.node;
      }
    }
  }
  joinFields(base);
  return base;
}

OwnMemory::Node OwnMemory::targetOf(const Value &value) {
  if (isa<Constant>(value)) {
    const auto *computed = dyn_cast<ConstantExpr>(&value);
    return isConstantData(value)                        ? kNone
           : computed && computed->getNumOperands() > 0 ? target(*computed->getOperand(0))
                                                        : kForeign;
  }
  if (const auto *variable = dyn_cast<AllocaInst>(&value)) {
    return targetOfVariable(*variable);
  }
  if (const auto *offset = dyn_cast<GetElementPtrInst>(&value)) {
    const Node base = target(*offset->getPointerOperand());
    return base == kNone || offset->getType()->isVectorTy() ? base : targetOfField(value, base);
  }
  if (isa<CastInst, FreezeInst>(value)) {
    const Value &from = *cast<Instruction>(value).getOperand(0);
    return mayHoldAddress(*from.getType()) ? target(from) : kNone;
  }
  const auto *call = dyn_cast<CallBase>(&value);
  const auto use = call ? argumentUse(*call) : std::nullopt;
  if (use && (use->givesFirst || use->givesFound)) {
    const Node given = target(*call->getArgOperand(use->givesFound.value_or(0)));
    return given == kNone || use->givesFirst ? given : foundAt(given);
  }
  return isa<Instruction>(value) ? create() : kForeign;
}

OwnMemory::Node OwnMemory::target(const Value &value) {
  if (const auto known = targets_.find(&value); known != targets_.end()) {
    return known->second;
  }
  if (!mayHoldAddress(*value.getType())) {
    return kNone;
  }
  const Node node = targetOf(value);
  targets_[&value] = node;
  return node;
}

void OwnMemory::unifyTargets(const Value &one, const Value &other) {
  const Node first = target(one);
  const Node second = target(other);
  if (first != kNone && second != kNone) {
    unify(first, second);
  }
}

/// What stands where `one` leads may stand where `other` leads, and the other way round.
void OwnMemory::unifyFound(const Value &one, const Value &other) {
  const Node first = target(one);
  const Node second = target(other);
  if (first != kNone && second != kNone) {
    unify(foundAt(first), foundAt(second));
  }
}

void OwnMemory::giveAway(const Value &pointer) {
  if (const Node node = target(pointer); node != kNone) {
    unify(node, kForeign);
  }
}

/// What touches more than a field touches all of the variable.
void OwnMemory::reach(const Value &pointer, TypeSize bytes) {
  const Node node = target(pointer);
  if (node == kNone) {
    return;
  }
  APInt offset(layout_.getIndexTypeSizeInBits(pointer.getType()), 0);
  const Value *start = pointer.stripAndAccumulateConstantOffsets(layout_, offset,
                                                                 /*AllowNonInbounds=*/true);
  const auto *variable = dyn_cast<AllocaInst>(start);
  const auto fields = variable ? fields_.find(targets_.lookup(variable)) : fields_.end();
  const bool isInField = fields != fields_.end() && !bytes.isScalable() &&
                         any_of(fields->second, [&](const Field &field) {
                           return offset.uge(field.offset) &&
                                  (offset + bytes.getFixedValue()).ule(field.offset + field.bytes);
                         });
  if (fields != fields_.end() && !isInField) {
    joinAll(*variable);
  }
  if (variable || bytes.isScalable() || bytes.getFixedValue() * 8 <= kPointerBits) {
    return;
  }
  // A copy of several fields, of one of several variables.
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(&pointer, objects, nullptr, 0);
  for (const Value *object : objects) {
    if (const auto *other = dyn_cast<AllocaInst>(object)) {
      joinAll(*other);
    }
  }
}

void OwnMemory::takeCopy(const AnyMemTransferInst &copy) {
  const auto *length = dyn_cast<ConstantInt>(copy.getLength());
  for (const Value *pointer : {copy.getRawDest(), copy.getRawSource()}) {
    const Node node = target(*pointer);
    if (length) {
      reach(*pointer, TypeSize::getFixed(length->getZExtValue()));
    } else if (node != kNone) {
      joinFields(node); // A copy that begins in an array ends there, and is left alone.
    }
  }
  if (const Node place = target(*copy.getRawDest()); place != kNone) {
    const Node source = target(*copy.getRawSource());
    unify(foundAt(place), source == kNone ? kForeign : foundAt(source));
  }
}

/// What a function that is known does with pointers that stand in memory.
void OwnMemory::takeKnownCall(const CallBase &call, const ArgumentUse &use) {
  if (use.keepsFirst) {
    const Node kept = target(*call.getArgOperand(0));
    const Node place = target(*call.getArgOperand(*use.givesFound));
    if (kept != kNone && place != kNone) {
      unify(foundAt(place), kept);
    }
  }
  Node first = kNone;
  for (const Use &argument : call.args()) {
    const unsigned bit = 1U << call.getArgOperandNo(&argument);
    Node node = argument->getType()->isPointerTy() ? target(*argument) : kNone;
    if (node == kNone) {
      continue;
    }
    if ((use.links & bit) != 0) {
      unify(node, foundAt(node));
    } else if ((use.follows & bit) != 0) {
      node = foundAt(node); // To the characters of a string.
    }
    if (first != kNone && (use.links & bit) != 0) {
      unify(first, node);
    } else if (first != kNone) {
      unify(foundAt(first), foundAt(node)); // What is found in one place may be copied to others.
    }
    first = first == kNone ? node : first;
  }
}

void OwnMemory::takeCall(const CallBase &call) {
  if (const auto *copy = dyn_cast<AnyMemTransferInst>(&call)) {
    takeCopy(*copy);
    return;
  }
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&call)) {
    if (intrinsic->isLifetimeStartOrEnd() || intrinsic->isAssumeLikeIntrinsic() ||
        isa<AnyMemSetInst>(intrinsic)) {
      return;
    }
    if (intrinsic->doesNotAccessMemory()) {
      for (const Use &argument : call.args()) {
        unifyTargets(call, *argument);
      }
      return;
    }
  }
  if (!privateStandIn(call).empty() || freesMemory(call) || isPrivateMemoryCall(call)) {
    return;
  }
  if (const auto use = argumentUse(call)) {
    takeKnownCall(call, *use);
    return;
  }
  if (mayStandInLoop(call) || asOutputCall(call)) { // What is printed is read, and not kept.
    giveAway(call);
    return;
  }
  for (const Use &argument : call.args()) {
    if (argument->getType()->isPtrOrPtrVectorTy()) {
      giveAway(*argument);
    }
  }
  giveAway(call);
}

void OwnMemory::take(const Instruction &inst) {
  if (const auto *load = dyn_cast<LoadInst>(&inst)) {
    reach(*load->getPointerOperand(), layout_.getTypeStoreSize(load->getType()));
    if (!mayHoldAddress(*load->getType())) {
      return;
    }
    const Node place = target(*load->getPointerOperand());
    const bool isMade = load->getType()->isPointerTy() && isOfNumbers(*load);
    unify(target(*load), place == kNone || isMade ? kForeign : foundAt(place));
    return;
  }
  if (const auto *store = dyn_cast<StoreInst>(&inst)) {
    reach(*store->getPointerOperand(),
          layout_.getTypeStoreSize(store->getValueOperand()->getType()));
    const Node place = target(*store->getPointerOperand());
    const Node stored = target(*store->getValueOperand());
    if (place != kNone && stored != kNone && !isOfNumbers(*store)) {
      unify(foundAt(place), stored);
    }
    return;
  }
  if (const auto *call = dyn_cast<CallBase>(&inst)) {
    takeCall(*call);
    return;
  }
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(inst)) {
    giveAway(*inst.getOperand(0));
  }
  if (!mayHoldAddress(*inst.getType()) ||
      isa<AllocaInst, GetElementPtrInst, CastInst, FreezeInst>(inst) || isDistance(inst)) {
    return;
  }
  if (isa<PHINode, SelectInst, BinaryOperator, InsertValueInst, ExtractValueInst, InsertElementInst,
          ExtractElementInst, ShuffleVectorInst>(inst)) {
    for (const Use &operand : inst.operands()) {
      if (mayHoldAddress(*operand->getType())) {
        unifyTargets(inst, *operand);
      }
    }
    return;
  }
  giveAway(inst);
}

bool OwnMemory::isOwn(const Value &pointer) {
  const Node node = target(pointer);
  return node == kNone || find(node) != find(kForeign);
}

bool OwnMemory::findsOwn(const Value &pointer) {
  const Node node = target(pointer);
  return node != kNone && find(node) != find(kForeign) && foundAt(node) != find(kForeign);
}

} // namespace tutti::compiler
