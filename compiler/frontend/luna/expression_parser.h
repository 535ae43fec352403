// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Parses expressions and names with indices.
#pragma once

#include "compiler/frontend/luna/ast.h"
#include "compiler/frontend/luna/cursor.h"

#include <initializer_list>

namespace tutti::compiler::luna {

/// All functions return null after an error.
class ExpressionParser {
public:
  ExpressionParser(Cursor &cursor, Program &program) : cursor_(cursor), program_(program) {}

  Expression *expression();

  /// A name with indices.
  Expression *id();

private:
  Expression *choice();
  Expression *binary(std::size_t level);
  Expression *unary();
  Expression *primary();
  Expression *cast();
  Expression *literal(Expression::Kind kind);
  Expression *make(Expression::Kind kind, Position at, std::string_view text,
                   std::initializer_list<Expression *> parts);
  Expression *tooDeep();

  Cursor &cursor_;
  Program &program_;
  std::size_t nesting_ = 0;
  const Expression *choice_ = nullptr; ///< What was read last, if that was '?:'.
};

} // namespace tutti::compiler::luna
