// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// `declare reduction`: beside OpenMP's declaration, with which Clang looks up the private copy in
/// a task's body, come two functions for each type, which the runtime calls:
///
///     static void __tutti_reduction_combine_4(struct vec *out, struct vec *in) { ... }
///     static void __tutti_reduction_initialize_4(struct vec *priv, struct vec *orig) { ... }
///
/// In C++ a name may mean something only where the declaration stands. So overloads beside it find
/// the functions, by ordinary look-up and in the namespaces of what is reduced:
///
///     static void (*__tutti_reduction_combiner_sum(vec *))(void *, void *) { return
///     __tutti_reduction_combine_4; }
///
/// Inside of a function of C++ they are those of a local class, `__tutti_reduction_4`, which
/// constructs name where they see it. In C there is nothing that could hold a function there but
/// OpenMP's declaration itself, of which Clang makes two: calls of `tutti_task_reduction_part` in
/// them say which they are, and `LowerTasksPass` puts them where constructs ask for their numbers.
#pragma once

#include "compiler/frontend/ompss/directive.h"

#include "clang/AST/DeclGroup.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

namespace tutti::compiler::ompss {

/// What stands around a declaration.
enum class Place { Namespace, Class, Function };

/// The reductions that one translation unit declares.
class DeclaredReductions {
public:
  /// Reads what comes after `declare reduction`, and writes OpenMP's declarations and the
  /// functions. What is wrong with it is left to Clang.
  void declare(const Directive &directive, Place place, TokenWriter &writer);

  /// Whether a name means something where the construct stands that is asked for.
  using IsSeen = llvm::function_ref<bool(llvm::StringRef name)>;

  /// Whether an operation of this name has been declared where it can be seen.
  bool has(llvm::StringRef operation, IsSeen isSeen) const;

  /// Writes the two functions for elements of the type of `element`, with a comma between them.
  void writeFunctions(TokenWriter &writer, llvm::StringRef operation, TokensRef element,
                      IsSeen isSeen) const;

  /// Has Clang make the functions of what functions of C declare.
  ///
  /// Order: before code is made of the declarations.
  static void keepFunctions(clang::DeclGroupRef group);

private:
  struct Declared {
    Tokens type;
    std::string number;
    Place place;
  };

  /// What stands for a declaration in an expression.
  using Chosen = llvm::function_ref<std::string(const Declared &each)>;

  bool declaresInNamespace(llvm::StringRef operation) const;
  void writeChoice(TokenWriter &writer, llvm::StringRef operation, TokensRef element, IsSeen isSeen,
                   Chosen local, Chosen global, llvm::function_ref<void()> otherwise) const;
  void writeFunction(TokenWriter &writer, llvm::StringRef operation, TokensRef element,
                     const std::string &kind, IsSeen isSeen) const;

  llvm::StringMap<std::vector<Declared>> byOperation_;
  unsigned count_ = 0;
};

/// How an operation is spelled, as a key.
std::string operationName(TokensRef operation);

} // namespace tutti::compiler::ompss
