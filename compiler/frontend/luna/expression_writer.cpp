// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/luna/expression_writer.h"

#include <array>
#include <cstdlib>
#include <utility>

namespace tutti::compiler::luna {

namespace {

constexpr auto kOperators = std::to_array<std::pair<std::string_view, const char *>>({
    {"+", "ADD"},
    {"-", "SUBTRACT"},
    {"*", "MULTIPLY"},
    {"/", "DIVIDE"},
    {"%", "REMAINDER"},
    {"<", "LESS"},
    {"<=", "LESS_EQUAL"},
    {">", "GREATER"},
    {">=", "GREATER_EQUAL"},
    {"==", "EQUAL"},
    {"!=", "NOT_EQUAL"},
    {"&&", "AND"},
    {"||", "OR"},
});

/// What does not fit in 32 bits wraps.
std::string integerOf(std::string_view digits, bool isNegative = false) {
  std::uint32_t value = 0;
  for (const char digit : digits) {
    value = value * 10 + static_cast<std::uint32_t>(digit - '0');
  }
  const auto wrapped = static_cast<std::int32_t>(isNegative ? 0U - value : value);
  return wrapped == INT32_MIN ? "INT32_MIN" : std::to_string(wrapped);
}

} // namespace

std::string ExpressionWriter::at(Position position) const {
  const Location place = sources_.outermost(text_.locate(position));
  return literal(sources_.path(place.file) + ":" + std::to_string(sources_.lineColumn(place).line));
}

void ExpressionWriter::placeLet(const Declaration &let) {
  Let &written = lets_[&let];
  written.level = level_;
  written.node = -1;
  if (!let.isFragment) {
    const int node = write(*let.value);
    lets_[&let].node = node;
    return;
  }
  std::vector<int> indices;
  for (const Expression *index : let.value->parts) {
    indices.push_back(writeInteger(*index));
  }
  lets_[&let].indices = std::move(indices);
}

std::string ExpressionWriter::list(const std::vector<Expression *> &expressions) {
  std::vector<int> nodes;
  for (const Expression *expression : expressions) {
    nodes.push_back(write(*expression));
  }
  return tables_.list(nodes);
}

int ExpressionWriter::outer(int node, int level, const std::string &at) {
  return level == level_ ? node
                         : tables_.node({.kind = "OUTER", .a = node, .up = level_ - level}, at);
}

int ExpressionWriter::slot(const Declaration &declaration, std::vector<int> indices,
                           const std::string &at) {
  const Declaration *base = &declaration;
  for (auto let = lets_.find(base); let != lets_.end(); let = lets_.find(base)) {
    std::vector<int> all;
    for (const int index : let->second.indices) {
      all.push_back(outer(index, let->second.level, at));
    }
    all.insert(all.end(), indices.begin(), indices.end());
    indices = std::move(all);
    base = base->value->declaration;
  }
  const Place &place = places_.at(base);
  return tables_.node({.kind = "SLOT",
                       .up = level_ - place.level,
                       .slot = place.slot,
                       .indices = indices.empty() ? "{0, 0}" : tables_.list(indices)},
                      at);
}

int ExpressionWriter::reference(const Expression &expression) {
  const Declaration &declaration = *expression.declaration;
  const std::string place = at(expression.at);
  if (declaration.kind == Declaration::Kind::Pattern) {
    return tables_.node({.kind = "PATTERN", .slot = places_.at(&declaration).slot}, place);
  }
  if (declaration.kind == Declaration::Kind::Let && !declaration.isFragment) {
    const Let &let = lets_.at(&declaration);
    return outer(let.node, let.level, place);
  }
  std::vector<int> indices;
  for (const Expression *index : expression.parts) {
    indices.push_back(writeInteger(*index));
  }
  return slot(declaration, std::move(indices), place);
}

int ExpressionWriter::binary(const Expression &expression) {
  const int left = write(*expression.parts[0]);
  const int right = write(*expression.parts[1]);
  const char *kind = "";
  for (const auto &[op, name] : kOperators) {
    kind = op == expression.text ? name : kind;
  }
  return tables_.node({.kind = kind, .a = left, .b = right}, at(expression.at));
}

int ExpressionWriter::writeInteger(const Expression &expression) {
  const int node = write(expression);
  return expression.type == Type::Real
             ? tables_.node({.kind = "TO_INT", .a = node}, at(expression.at))
             : node;
}

int ExpressionWriter::write(const Expression &expression) {
  const std::string place = at(expression.at);
  switch (expression.kind) {
  case Expression::Kind::Integer:
    return tables_.node({.kind = "INT", .integer = integerOf(expression.text)}, place);
  case Expression::Kind::Real:
    return tables_.node({.kind = "REAL", .real = std::string(expression.text)}, place);
  case Expression::Kind::String:
    return tables_.node({.kind = "STRING", .text = literal(unescaped(expression.text))}, place);
  case Expression::Kind::Reference:
    return reference(expression);
  case Expression::Kind::Unary:
    if (expression.text == "-" && expression.parts[0]->kind == Expression::Kind::Integer) {
      // No operation: the smallest integer has no positive twin that could overflow.
      return tables_.node({.kind = "INT", .integer = integerOf(expression.parts[0]->text, true)},
                          place);
    }
    return tables_.node(
        {.kind = expression.text == "-" ? "NEGATE" : "NOT", .a = write(*expression.parts[0])},
        place);
  case Expression::Kind::Binary:
    return binary(expression);
  case Expression::Kind::Choice: {
    const int condition = write(*expression.parts[0]);
    const int yes = write(*expression.parts[1]);
    const int no = write(*expression.parts[2]);
    return tables_.node({.kind = "CHOOSE", .a = condition, .b = yes, .c = no}, place);
  }
  case Expression::Kind::Cast:
    break;
  }
  const char *kind = expression.text == "int"    ? "TO_INT"
                     : expression.text == "real" ? "TO_REAL"
                                                 : "TO_STRING";
  return tables_.node({.kind = kind, .a = write(*expression.parts[0])}, place);
}

} // namespace tutti::compiler::luna
