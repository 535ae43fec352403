// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// `declare reduction`: beside OpenMP's declaration, with which Clang looks up the private copy in
/// a task's body, come two functions for each type, which the runtime calls:
///
///     static void __tutti_combine_4(struct vec *out, struct vec *in) { ... }
///     static void __tutti_initialize_4(struct vec *priv, struct vec *orig) { ... }
///
/// In C++ a name may mean something only where the declaration stands. So overloads beside it find
/// the functions, by ordinary look-up and in the namespaces of what is reduced:
///
///     static void (*__tutti_combiner_sum(vec *))(void *, void *) { return __tutti_combine_4; }
#pragma once

#include "compiler/frontend/ompss/directive.h"

#include "llvm/ADT/StringMap.h"

namespace tutti::compiler::ompss {

/// The reductions that one translation unit declares.
class DeclaredReductions {
public:
  /// Reads what comes after `declare reduction`, and writes OpenMP's declarations and the
  /// functions. What is wrong with it is left to Clang.
  void declare(const Directive &directive, bool isInClass, TokenWriter &writer);

  /// Whether an operation of this name has been declared.
  bool has(llvm::StringRef operation) const { return byOperation_.contains(operation); }

  /// Writes the two functions for elements of the type of `element`, with a comma between them.
  void writeFunctions(TokenWriter &writer, llvm::StringRef operation, TokensRef element) const;

private:
  struct Declared {
    Tokens type;
    std::string number;
  };

  llvm::StringMap<std::vector<Declared>> byOperation_;
  unsigned count_ = 0;
};

/// How an operation is spelled, as a key.
std::string operationName(TokensRef operation);

} // namespace tutti::compiler::ompss
