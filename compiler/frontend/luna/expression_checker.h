// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Finds what names in expressions stand for, and the types that are known.
#pragma once

#include "compiler/frontend/luna/ast.h"
#include "compiler/frontend/luna/scopes.h"

#include <string>

namespace tutti::compiler::luna {

class ExpressionChecker {
public:
  ExpressionChecker(const Text &text, Scopes &scopes, Messages &messages)
      : text_(text), scopes_(scopes), messages_(messages) {}

  /// Fills in types and declarations. In rules parameters that are only for rules have a value.
  Type check(Expression &expression, bool inRule = false);

  /// Checks something that has to be a data fragment, and says E-NODF if it is none.
  void checkFragment(Expression &id, bool inRule = false);

  /// Checks a value that has to be a number.
  void checkNumber(Expression &expression, std::string_view use, bool inRule = false);

  /// The same for what becomes an int.
  void checkInt(Expression &expression, std::string_view use, bool inRule = false);

private:
  Type reference(Expression &expression, bool inRule);
  Type binary(Expression &expression, Type left, Type right);
  Type invalid(Expression &expression, Type left, Type right);
  void integer(const Expression &expression, bool isNegated);

  const Text &text_;
  Scopes &scopes_;
  Messages &messages_;
};

/// Whether a reference stands for a data fragment: a `df`, a parameter that is a name, or a `let`
/// of one.
bool isFragment(const Expression &expression);

/// "a loop counter", "a parameter"...
std::string kindOf(const Declaration &declaration);

std::string_view nameOf(Type type);

std::string_view nameOf(ParameterType type);

/// Whether both are the same reference: the same declaration with equal indices.
bool isSame(const Expression &left, const Expression &right);

} // namespace tutti::compiler::luna
