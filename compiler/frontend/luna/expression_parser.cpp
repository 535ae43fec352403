// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/luna/expression_parser.h"

#include <algorithm>
#include <array>
#include <vector>

namespace tutti::compiler::luna {

namespace {

/// What the passes that follow walk through by recursion.
constexpr std::uint32_t kDeepest = 1000;
constexpr std::size_t kDeepestNesting = 200;

/// Operators with two operands, from the ones that bind least.
constexpr auto kLevels = std::to_array<std::array<std::string_view, 6>>({
    {"||"},
    {"&&"},
    {"<", "<=", ">", ">=", "==", "!="},
    {"+", "-"},
    {"*", "/", "%"},
});

} // namespace

Expression *ExpressionParser::expression() {
  if (nesting_ >= kDeepestNesting) {
    return tooDeep();
  }
  ++nesting_;
  Expression *result = choice();
  --nesting_;
  return result;
}

Expression *ExpressionParser::tooDeep() {
  cursor_.stopTooDeep();
  return nullptr;
}

Expression *ExpressionParser::choice() {
  Expression *condition = binary(0);
  if (condition == nullptr || !cursor_.is("?")) {
    choice_ = nullptr;
    return condition;
  }
  const Position at = cursor_.token().at;
  cursor_.next();
  Expression *yes = expression();
  if (yes == nullptr || !cursor_.expect(":", "between the two values of '?'")) {
    return nullptr;
  }
  Expression *no = expression();
  if (no == nullptr) {
    return nullptr;
  }
  if (no == choice_) {
    program_.chains.push_back(no->at);
  }
  Expression *result = make(Expression::Kind::Choice, at, "?:", {condition, yes, no});
  choice_ = result;
  return result;
}

Expression *ExpressionParser::binary(std::size_t level) {
  if (level == kLevels.size()) {
    return unary();
  }
  Expression *left = binary(level + 1);
  while (left != nullptr) {
    const Token &token = cursor_.token();
    const bool isHere = token.kind == Token::Kind::Mark &&
                        std::ranges::find(kLevels[level], token.text) != kLevels[level].end();
    if (!isHere) {
      break;
    }
    cursor_.next();
    Expression *right = binary(level + 1);
    if (right == nullptr) {
      return nullptr;
    }
    left = make(Expression::Kind::Binary, token.at, token.text, {left, right});
  }
  return left;
}

Expression *ExpressionParser::unary() {
  std::vector<const Token *> operators;
  while (cursor_.is("-") || cursor_.is("!")) {
    if (cursor_.is("!")) {
      program_.additions.push_back({cursor_.token().at, "'!'"});
    }
    operators.push_back(&cursor_.token());
    cursor_.next();
  }
  Expression *operand = primary();
  for (; operand != nullptr && !operators.empty(); operators.pop_back()) {
    const Token &token = *operators.back();
    operand = make(Expression::Kind::Unary, token.at, token.text, {operand});
    if (operand != nullptr) {
      operand->begin = token.at;
    }
  }
  return operand;
}

Expression *ExpressionParser::primary() {
  const Token &token = cursor_.token();
  switch (token.kind) {
  case Token::Kind::Integer:
    return literal(Expression::Kind::Integer);
  case Token::Kind::Real:
    if (token.text.find_first_of("eE") != std::string_view::npos) {
      program_.additions.push_back({token.at, "a number with an exponent"});
    }
    return literal(Expression::Kind::Real);
  case Token::Kind::String:
    return literal(Expression::Kind::String);
  default:
    break;
  }
  if (token.is("int") || token.is("real") || token.is("string")) {
    return cast();
  }
  if (cursor_.isName()) {
    return id();
  }
  if (!cursor_.take("(")) {
    cursor_.fail("an expression");
    return nullptr;
  }
  Expression *inner = expression();
  if (inner == nullptr || !cursor_.expect(")", "to close the parenthesis")) {
    return nullptr;
  }
  return inner;
}

Expression *ExpressionParser::literal(Expression::Kind kind) {
  const Token &token = cursor_.token();
  Expression *result = make(kind, token.at, token.text, {});
  result->end = token.end;
  cursor_.next();
  return result;
}

Expression *ExpressionParser::cast() {
  const Token &type = cursor_.token();
  cursor_.next();
  if (!cursor_.expect("(", "behind '" + std::string(type.text) + "'")) {
    return nullptr;
  }
  Expression *inner = expression();
  if (inner == nullptr || !cursor_.expect(")", "to close the conversion")) {
    return nullptr;
  }
  Expression *result = make(Expression::Kind::Cast, type.at, type.text, {inner});
  if (result != nullptr) {
    result->begin = type.at;
    result->end = cursor_.behindLast();
  }
  return result;
}

Expression *ExpressionParser::id() {
  if (!cursor_.isName()) {
    cursor_.fail("a name");
    return nullptr;
  }
  const Token &name = cursor_.token();
  cursor_.next();
  Expression *result = make(Expression::Kind::Reference, name.at, name.text, {});
  while (cursor_.take("[")) {
    Expression *index = expression();
    if (index == nullptr || !cursor_.expect("]", "behind the index")) {
      return nullptr;
    }
    result->parts.push_back(index);
    result->depth = std::max(result->depth, index->depth + 1);
  }
  result->end = cursor_.behindLast();
  return result;
}

Expression *ExpressionParser::make(Expression::Kind kind, Position at, std::string_view text,
                                   std::initializer_list<Expression *> parts) {
  Expression &result = program_.expressions.emplace_back();
  result.kind = kind;
  result.at = at;
  result.text = text;
  result.parts = parts;
  result.begin = parts.size() == 0 ? at : result.parts.front()->begin;
  result.end = parts.size() == 0 ? at : result.parts.back()->end;
  for (const Expression *part : parts) {
    result.depth = std::max(result.depth, part->depth + 1);
  }
  return result.depth > kDeepest ? tooDeep() : &result;
}

} // namespace tutti::compiler::luna
