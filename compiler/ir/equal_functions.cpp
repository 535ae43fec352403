// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/equal_functions.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Pairs of what stands for each other in two functions.
class Comparison {
public:
  bool run(const Function &a, const Function &b);

private:
  /// Values and nodes of metadata.
  bool pair(const void *a, const void *b) {
    const bool isNew = there_.try_emplace(a, b).second;
    return back_.try_emplace(b, a).second == isNew && there_.lookup(a) == b && back_.lookup(b) == a;
  }

  bool areEqual(const Instruction &a, const Instruction &b);
  bool areEqual(const Value *a, const Value *b);
  bool areEqual(const Metadata *a, const Metadata *b);

  DenseMap<const void *, const void *> there_;
  DenseMap<const void *, const void *> back_;
};

/// Places aside. A node that both functions have stands for itself, and what it refers to, too:
/// else another one could stand for it elsewhere.
bool Comparison::areEqual(const Metadata *a, const Metadata *b) {
  if (a == b && !isa_and_nonnull<MDNode>(a)) {
    return true;
  }
  const auto *first = dyn_cast_or_null<MDNode>(a);
  const auto *second = dyn_cast_or_null<MDNode>(b);
  if (!first || !second) {
    return false;
  }
  if (isa<DINode>(first) || isa<DILocation>(first)) {
    return isa<DINode>(second) || isa<DILocation>(second); // In loops' nodes.
  }
  if (first->getMetadataID() != second->getMetadataID() ||
      first->isDistinct() != second->isDistinct() ||
      first->getNumOperands() != second->getNumOperands()) {
    return false;
  }
  const bool isKnown = there_.contains(first);
  if (!pair(first, second)) {
    return false;
  }
  return isKnown || all_of(zip_equal(first->operands(), second->operands()), [&](const auto &each) {
           return areEqual(std::get<0>(each).get(), std::get<1>(each).get());
         });
}

bool Comparison::areEqual(const Value *a, const Value *b) {
  const auto *first = dyn_cast<MetadataAsValue>(a);
  const auto *second = dyn_cast<MetadataAsValue>(b);
  if (first || second) {
    return first && second && areEqual(first->getMetadata(), second->getMetadata());
  }
  if (isa<Constant, InlineAsm>(a) || isa<Constant, InlineAsm>(b)) {
    return a == b;
  }
  return pair(a, b);
}

bool Comparison::areEqual(const Instruction &a, const Instruction &b) {
  if (!a.isSameOperationAs(&b) ||
      a.getRawSubclassOptionalData() != b.getRawSubclassOptionalData() || !pair(&a, &b)) {
    return false;
  }
  for (const auto [first, second] : zip_equal(a.operand_values(), b.operand_values())) {
    if (!areEqual(first, second)) {
      return false;
    }
  }
  if (const auto *phi = dyn_cast<PHINode>(&a)) {
    for (const auto [first, second] : zip_equal(phi->blocks(), cast<PHINode>(b).blocks())) {
      if (!pair(first, second)) {
        return false;
      }
    }
  }
  SmallVector<std::pair<unsigned, MDNode *>, 4> own;
  SmallVector<std::pair<unsigned, MDNode *>, 4> other;
  a.getAllMetadataOtherThanDebugLoc(own);
  b.getAllMetadataOtherThanDebugLoc(other);
  return own.size() == other.size() && all_of(zip_equal(own, other), [&](const auto &each) {
           const auto &[first, second] = each;
           return first.first == second.first && areEqual(first.second, second.second);
         });
}

bool Comparison::run(const Function &a, const Function &b) {
  if (a.isDeclaration() || b.isDeclaration() || a.getFunctionType() != b.getFunctionType() ||
      a.getAttributes() != b.getAttributes() || a.getCallingConv() != b.getCallingConv() ||
      a.getSection() != b.getSection() || a.hasGC() != b.hasGC() || a.hasPersonalityFn() ||
      b.hasPersonalityFn() || a.size() != b.size()) {
    return false;
  }
  for (const auto [first, second] : zip_equal(a.args(), b.args())) {
    if (!pair(&first, &second)) {
      return false;
    }
  }
  for (const auto [first, second] : zip_equal(a, b)) {
    if (!pair(&first, &second) || first.size() != second.size()) {
      return false;
    }
    for (const auto [own, other] : zip_equal(first, second)) {
      if (!areEqual(own, other)) {
        return false;
      }
    }
  }
  return true;
}

} // namespace

bool areEqual(const Function &a, const Function &b) { return Comparison().run(a, b); }

Function &EqualFunctions::firstOf(Function &function) {
  std::vector<Function *> &alike =
      known_[hash_combine(function.size(), function.arg_size(), function.getInstructionCount())];
  for (Function *each : alike) {
    if (areEqual(*each, function)) {
      return *each;
    }
  }
  alike.push_back(&function);
  return function;
}

} // namespace tutti::compiler
