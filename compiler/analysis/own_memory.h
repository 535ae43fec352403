// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Memory that a thread keeps to itself although pointers to it stand in memory: strings, lists and
/// trees that are local to an iteration.
///
///   std::string s;      %p = load ptr, ptr %s       ; the variable itself, or what the thread has
///   s += text[k];       store i8 %c, ptr (%p + n)   ; allocated
///
/// Variables and allocations are put into one class if one pointer may lead to either; what may be
/// stored in them leads to one class in turn (Steensgaard's analysis). Whatever is not the thread's
/// is one class, too. Fields of variables are told apart, so that the characters of a string may
/// come from anywhere, and its pointers not.
#pragma once

#include "compiler/ir/library_functions.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <cstdint>
#include <vector>

namespace tutti::compiler {

class OwnMemory {
public:
  /// Order: what can be inlined into `function` has been.
  explicit OwnMemory(llvm::Function &function);

  /// Whether `pointer` leads to nothing but variables and allocations of the thread, or constants.
  bool isOwn(const llvm::Value &pointer);

  /// Whether the pointers do that are found where `pointer` leads.
  bool findsOwn(const llvm::Value &pointer);

private:
  using Node = unsigned;
  static constexpr Node kForeign = 0; ///< All that is not the thread's.
  static constexpr Node kNone = ~0U;

  struct Class {
    Node parent;
    Node found = kNone;  ///< Where pointers lead that are stored here.
    Node object = kNone; ///< The first field of the variable, one of whose fields this is alone.
  };

  struct Field {
    std::uint64_t offset;
    std::uint64_t bytes;
    Node node;
  };

  using Fields = llvm::SmallVector<Field, 4>;

  Node create();
  Node find(Node node);
  Node foundAt(Node node);
  void unify(Node one, Node other);
  void joinFields(Node node);
  void joinAll(const llvm::AllocaInst &variable);

  /// Where `value` leads; none if it is no address, or a constant's.
  Node target(const llvm::Value &value);
  Node targetOf(const llvm::Value &value);
  Node targetOfVariable(const llvm::AllocaInst &variable);
  Node targetOfField(const llvm::Value &pointer, Node base);

  void unifyTargets(const llvm::Value &one, const llvm::Value &other);
  void unifyFound(const llvm::Value &one, const llvm::Value &other);
  void giveAway(const llvm::Value &pointer);
  void reach(const llvm::Value &pointer, llvm::TypeSize bytes);

  void take(const llvm::Instruction &inst);
  void takeCall(const llvm::CallBase &call);
  void takeCopy(const llvm::AnyMemTransferInst &copy);
  void takeKnownCall(const llvm::CallBase &call, const ArgumentUse &use);

  const llvm::DataLayout &layout_;
  std::vector<Class> classes_;
  llvm::DenseMap<const llvm::Value *, Node> targets_;
  llvm::DenseMap<Node, Fields> fields_; ///< By the first of them.
};

} // namespace tutti::compiler
