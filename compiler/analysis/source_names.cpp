// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/source_names.h"

#include "compiler/ir/construct_calls.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <optional>

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Whether `location` is in a parallel construct itself, not in a function that it calls. Of teams
/// the inner construct's function has become a part of the outer one's.
bool isOwn(const DILocation &location) {
  return !location.getInlinedAt() ||
         location.getScope()->getSubprogram()->getName().contains(".omp_outlined");
}

/// The text ";file;function;line;column;;" that libomp gets with `call`; empty if it gets none.
StringRef sourceFor(const CallBase &call) {
  constexpr unsigned kSourceOfIdent = 4; // ident_t::psource
  const auto *ident =
      call.arg_empty() ? nullptr : dyn_cast<GlobalVariable>(operandOf(call, Role::Place));
  const auto *fields = ident && ident->hasInitializer()
                           ? dyn_cast<ConstantStruct>(ident->getInitializer())
                           : nullptr;
  StringRef source;
  if (fields && fields->getNumOperands() > kSourceOfIdent) {
    getConstantStringInfo(fields->getOperand(kSourceOfIdent), source);
  }
  return source;
}

/// An object or a value of the source.
struct Named {
  std::string name;
  const DIType *type; ///< Null if it is not known.
};

/// `type` without names and qualifiers of its own.
const DIType *strip(const DIType *type) {
  while (const auto *derived = dyn_cast_or_null<DIDerivedType>(type)) {
    switch (derived->getTag()) {
    case dwarf::DW_TAG_typedef:
    case dwarf::DW_TAG_const_type:
    case dwarf::DW_TAG_volatile_type:
    case dwarf::DW_TAG_restrict_type:
      type = derived->getBaseType();
      continue;
    default:
      return type;
    }
  }
  return type;
}

/// What values of `type` point to, and how the source goes there; null if they do not.
const DIType *pointee(const DIType *type, StringRef &arrow) {
  const auto *derived = dyn_cast_or_null<DIDerivedType>(strip(type));
  if (!derived) {
    return nullptr;
  }
  arrow = derived->getTag() == dwarf::DW_TAG_pointer_type ? "->" : ".";
  const bool leads = derived->getTag() == dwarf::DW_TAG_pointer_type ||
                     derived->getTag() == dwarf::DW_TAG_reference_type ||
                     derived->getTag() == dwarf::DW_TAG_rvalue_reference_type;
  return leads ? strip(derived->getBaseType()) : nullptr;
}

/// A name that belongs to an implementation: of the C++ library, say.
bool isReserved(StringRef name) { return name.empty() || name.starts_with("_"); }

/// The member of `object` that holds its byte `offset`. Members of the C++ library's types are not
/// the program's: there the name ends.
Named memberAt(Named object, std::uint64_t offset, StringRef arrow) {
  const auto *composite = dyn_cast_or_null<DICompositeType>(strip(object.type));
  if (!composite) {
    return {object.name, offset == 0 ? object.type : nullptr};
  }
  for (const DINode *element : composite->getElements()) {
    const auto *member = dyn_cast<DIDerivedType>(element);
    const bool isBase = member && member->getTag() == dwarf::DW_TAG_inheritance;
    if (!member || !(isBase || member->getTag() == dwarf::DW_TAG_member) ||
        member->isStaticMember()) {
      continue;
    }
    const std::uint64_t start = member->getOffsetInBits() / 8;
    const DIType *type = strip(member->getBaseType());
    const std::uint64_t bytes = (type ? type->getSizeInBits() : 0) / 8;
    if (offset < start || offset >= start + bytes) {
      continue;
    }
    if (isBase) {
      return memberAt({object.name, type}, offset - start, arrow);
    }
    if (isReserved(member->getName())) {
      return {object.name, nullptr};
    }
    const std::string prefix = object.name.empty() ? "" : object.name + arrow.str();
    return memberAt({prefix + member->getName().str(), type}, offset - start, ".");
  }
  return {object.name, nullptr};
}

std::optional<Named> nameOfValue(Value &value);

/// The variable whose value (`byAddress`: whose address) `value` is.
std::optional<Named> variableOf(Value &value, bool byAddress) {
  SmallVector<DbgVariableIntrinsic *, 2> intrinsics;
  SmallVector<DbgVariableRecord *, 2> records;
  findDbgUsers(intrinsics, &value, &records);
  for (const DbgVariableRecord *record : records) {
    const DIExpression *expression = record->getExpression();
    const bool isAddress = record->isAddressOfVariable() || expression->startsWithDeref();
    const bool isPlain = expression->getNumElements() == (expression->startsWithDeref() ? 1 : 0);
    const DILocalVariable *variable = record->getVariable();
    if (!isPlain || isAddress != byAddress || !record->getDebugLoc() ||
        !isOwn(*record->getDebugLoc())) {
      continue;
    }
    if (variable->getName() == "this") {
      return Named{"", variable->getType()};
    }
    if (!isReserved(variable->getName())) {
      return Named{variable->getName().str(), variable->getType()};
    }
  }
  return std::nullopt;
}

/// The object at `address`.
std::optional<Named> nameOfObject(Value &address, const DataLayout &layout) {
  APInt offset(64, 0);
  Value *base = address.stripAndAccumulateConstantOffsets(layout, offset,
                                                          /*AllowNonInbounds=*/true);
  if (offset.isNegative()) {
    return std::nullopt;
  }
  if (auto *global = dyn_cast<GlobalVariable>(base)) {
    SmallVector<DIGlobalVariableExpression *, 1> infos;
    global->getDebugInfo(infos);
    const DIType *type = infos.empty() ? nullptr : infos.front()->getVariable()->getType();
    return memberAt({demangle(global->getName().str()), type}, offset.getZExtValue(), ".");
  }
  if (std::optional<Named> variable = variableOf(*base, true)) {
    return memberAt(*variable, offset.getZExtValue(), ".");
  }
  const std::optional<Named> pointer = nameOfValue(*base);
  StringRef arrow;
  const DIType *type = pointer ? pointee(pointer->type, arrow) : nullptr;
  return type ? std::optional(memberAt({pointer->name, type}, offset.getZExtValue(), arrow))
              : std::nullopt;
}

std::optional<Named> nameOfValue(Value &value) {
  if (std::optional<Named> variable = variableOf(value, false)) {
    return variable;
  }
  auto *load = dyn_cast<LoadInst>(&value);
  return load ? nameOfObject(*load->getPointerOperand(), load->getDataLayout()) : std::nullopt;
}

} // namespace

DebugLoc placeOf(const CallBase &call) {
  const DebugLoc &own = call.getDebugLoc();
  const auto *direct = dyn_cast<CallInst>(&call);
  if (!own || !direct || kindOf(*direct) == CallKind::None) {
    return own;
  }
  const auto [functions, column] = sourceFor(call).rtrim(';').rsplit(';');
  unsigned line = 0;
  unsigned offset = 0;
  if (functions.rsplit(';').second.getAsInteger(10, line) || column.getAsInteger(10, offset) ||
      line == 0) {
    return own;
  }
  return DILocation::get(call.getContext(), line, offset, own.getScope(), own.getInlinedAt());
}

unsigned lineInConstruct(const DebugLoc &location) {
  const DILocation *at = location.get();
  while (at && !isOwn(*at)) {
    at = at->getInlinedAt();
  }
  return at ? at->getLine() : 0;
}

std::string describePlace(const DebugLoc &location) {
  const unsigned line = lineInConstruct(location);
  if (line == 0) {
    return {};
  }
  std::string place = " (line " + std::to_string(line);
  // From the outside inwards, as long as the code is the file's own.
  SmallVector<const DILocation *, 4> frames;
  for (const DILocation *at = location.get(); !isOwn(*at); at = at->getInlinedAt()) {
    frames.push_back(at);
  }
  const DILocation *deepest = nullptr;
  const DIFile *file = frames.empty() ? nullptr : frames.back()->getInlinedAt()->getFile();
  while (!frames.empty() && frames.back()->getFile() == file) {
    deepest = frames.pop_back_val();
  }
  const StringRef name = deepest ? deepest->getScope()->getSubprogram()->getName() : "";
  if (!name.empty()) {
    place += ", in '" + name.str() + "' at line " + std::to_string(deepest->getLine());
  }
  return place + ")";
}

std::string nameOf(Value &pointer) {
  if (pointer.hasName() && isa<GlobalVariable>(pointer)) {
    return demangle(pointer.getName().str());
  }
  for (const bool byAddress : {false, true}) {
    if (const std::optional<Named> variable = variableOf(pointer, byAddress);
        variable && !variable->name.empty()) {
      return variable->name;
    }
  }
  auto *load = dyn_cast<LoadInst>(&pointer);
  const std::optional<Named> named =
      load ? nameOfObject(*load->getPointerOperand(), load->getDataLayout()) : std::nullopt;
  return named ? named->name : "";
}

} // namespace tutti::compiler
