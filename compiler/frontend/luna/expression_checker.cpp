// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/luna/expression_checker.h"

#include <charconv>

namespace tutti::compiler::luna {

bool isFragment(const Expression &expression) {
  return expression.kind == Expression::Kind::Reference && expression.declaration != nullptr &&
         expression.declaration->isFragment;
}

std::string kindOf(const Declaration &declaration) {
  switch (declaration.kind) {
  case Declaration::Kind::Counter:
    return "a loop counter";
  case Declaration::Kind::Let:
    return "a value of 'let'";
  case Declaration::Kind::Pattern:
    return "an index of the rule";
  case Declaration::Kind::NonFunctional:
    return "a non-functional parameter";
  case Declaration::Kind::Fragment:
    return "a data fragment";
  case Declaration::Kind::Parameter:
    break;
  }
  return "a parameter";
}

std::string_view nameOf(Type type) {
  switch (type) {
  case Type::Int:
    return "int";
  case Type::Real:
    return "real";
  case Type::String:
    return "string";
  case Type::Unknown:
    break;
  }
  return "value";
}

std::string_view nameOf(ParameterType type) {
  switch (type) {
  case ParameterType::Int:
    return "int";
  case ParameterType::Real:
    return "real";
  case ParameterType::String:
    return "string";
  case ParameterType::Name:
    return "name";
  case ParameterType::Value:
    break;
  }
  return "value";
}

bool isSame(const Expression &left, const Expression &right) {
  if (left.kind != right.kind || left.text != right.text || left.declaration != right.declaration ||
      left.parts.size() != right.parts.size()) {
    return false;
  }
  for (std::size_t i = 0; i < left.parts.size(); ++i) {
    if (!isSame(*left.parts[i], *right.parts[i])) {
      return false;
    }
  }
  return true;
}

namespace {

bool isComparison(const Expression &expression) {
  return expression.kind == Expression::Kind::Binary &&
         (expression.text.starts_with('<') || expression.text.starts_with('>') ||
          expression.text == "==" || expression.text == "!=");
}

} // namespace

Type ExpressionChecker::check(Expression &expression, bool inRule) {
  const bool isNegated = expression.kind == Expression::Kind::Unary && expression.text == "-" &&
                         expression.parts[0]->kind == Expression::Kind::Integer;
  if (isNegated) {
    integer(*expression.parts[0], true);
    expression.parts[0]->type = Type::Int;
    return expression.type = Type::Int;
  }
  if (expression.kind == Expression::Kind::Reference) {
    return expression.type = reference(expression, inRule);
  }
  std::vector<Type> types;
  for (Expression *part : expression.parts) {
    types.push_back(check(*part, inRule));
  }
  switch (expression.kind) {
  case Expression::Kind::Integer:
    integer(expression, false);
    return expression.type = Type::Int;
  case Expression::Kind::Real:
    return expression.type = Type::Real;
  case Expression::Kind::String:
    return expression.type = Type::String;
  case Expression::Kind::Unary:
    if (types[0] == Type::String) {
      messages_.error(text_.locate(expression.at), "E-OP",
                      "invalid operation: '" + std::string(expression.text) + "' of string");
      expression.isWrong = true;
      return expression.type = Type::Unknown;
    }
    return expression.type = expression.text == "!" ? Type::Int : types[0];
  case Expression::Kind::Cast:
    return expression.type = expression.text == "int"    ? Type::Int
                             : expression.text == "real" ? Type::Real
                                                         : Type::String;
  case Expression::Kind::Choice:
    if (types[0] == Type::String) {
      messages_.error(text_.locate(expression.at), "E-OP",
                      "invalid operation: '?' with a condition that is a string");
    }
    if (types[1] == types[2]) {
      return expression.type = types[1];
    }
    return expression.type = types[1] == Type::Unknown || types[2] == Type::Unknown ||
                                     types[1] == Type::String || types[2] == Type::String
                                 ? Type::Unknown
                                 : Type::Real;
  default:
    return expression.type = binary(expression, types[0], types[1]);
  }
}

/// What does not fit wraps, as it does when programs run.
void ExpressionChecker::integer(const Expression &expression, bool isNegated) {
  constexpr std::uint64_t kLargest = 2147483647;
  std::uint64_t value = 0;
  const std::string_view digits = expression.text;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  static_cast<void>(end);
  if (error != std::errc() || value > kLargest + (isNegated ? 1 : 0)) {
    messages_.warning(text_.locate(expression.at), "W-OVER",
                      "integer " + std::string(digits) + " does not fit in 32 bits: it wraps");
  }
}

Type ExpressionChecker::reference(Expression &expression, bool inRule) {
  for (Expression *index : expression.parts) {
    checkInt(*index, "as an index", inRule);
  }
  Declaration *declaration = scopes_.find(expression.text);
  const std::string quoted = "'" + std::string(expression.text) + "'";
  expression.isWrong = declaration == nullptr || declaration->isPoisoned;
  if (declaration == nullptr) {
    messages_.error(text_.locate(expression.at), "E-NAME", "undeclared name " + quoted);
    return Type::Unknown;
  }
  expression.declaration = declaration;
  declaration->isUsed = true;
  if (declaration->kind == Declaration::Kind::NonFunctional && !inRule) {
    messages_.error(text_.locate(expression.at), "E-NFPARAM",
                    quoted + " is a non-functional parameter and has no value here");
    expression.isWrong = true;
    return Type::Unknown;
  }
  if (declaration->isFragment || declaration->isPoisoned) {
    return Type::Unknown;
  }
  if (!expression.parts.empty()) {
    messages_.error(text_.locate(expression.at), "E-INDEX",
                    quoted + " is " + kindOf(*declaration) + " and cannot be indexed");
    expression.isWrong = true;
    return Type::Unknown;
  }
  switch (declaration->kind) {
  case Declaration::Kind::Let:
    return declaration->value->type;
  case Declaration::Kind::Counter:
  case Declaration::Kind::Pattern:
    return Type::Int;
  case Declaration::Kind::Parameter:
    break;
  default:
    return Type::Unknown;
  }
  switch (declaration->type) {
  case ParameterType::Int:
    return Type::Int;
  case ParameterType::Real:
    return Type::Real;
  case ParameterType::String:
    return Type::String;
  default:
    return Type::Unknown;
  }
}

Type ExpressionChecker::binary(Expression &expression, Type left, Type right) {
  const std::string_view op = expression.text;
  for (const Expression *part : expression.parts) {
    const bool isNumber = op != "==" && op != "!=" && op != "&&" && op != "||";
    if (isNumber && isComparison(*part)) {
      messages_.warning(text_.locate(part->at), "W-BOOL",
                        "comparison used as a number: its value is 0 or 1");
    }
  }
  const bool hasString = left == Type::String || right == Type::String;
  const bool hasUnknown = left == Type::Unknown || right == Type::Unknown;
  if (op == "+") {
    if (hasString) {
      return Type::String;
    }
  } else if (op == "==" || op == "!=") {
    const bool isMixed = hasString && !hasUnknown && left != right;
    return isMixed ? invalid(expression, left, right) : Type::Int;
  } else if (hasString) {
    return invalid(expression, left, right);
  }
  if (op == "%") {
    const bool hasReal = left == Type::Real || right == Type::Real;
    return hasReal ? invalid(expression, left, right) : Type::Int;
  }
  if (op == "+" || op == "-" || op == "*" || op == "/") {
    const bool isReal = left == Type::Real || right == Type::Real;
    return hasUnknown ? Type::Unknown : isReal ? Type::Real : Type::Int;
  }
  return Type::Int;
}

Type ExpressionChecker::invalid(Expression &expression, Type left, Type right) {
  messages_.error(text_.locate(expression.at), "E-OP",
                  "invalid operation: '" + std::string(expression.text) + "' of " +
                      std::string(nameOf(left)) + " and " + std::string(nameOf(right)));
  expression.isWrong = true;
  return Type::Unknown;
}

void ExpressionChecker::checkFragment(Expression &id, bool inRule) {
  for (Expression *index : id.parts) {
    checkInt(*index, "as an index", inRule);
  }
  Declaration *declaration = scopes_.find(id.text);
  const std::string quoted = "'" + std::string(id.text) + "'";
  if (declaration == nullptr) {
    messages_.error(text_.locate(id.at), "E-NAME", "undeclared name " + quoted);
    return;
  }
  id.declaration = declaration;
  declaration->isUsed = true;
  if (!declaration->isFragment && !declaration->isPoisoned) {
    messages_.error(text_.locate(id.at), "E-NODF",
                    quoted + " is " + kindOf(*declaration) + ": a data fragment is required here");
  }
}

void ExpressionChecker::checkNumber(Expression &expression, std::string_view use, bool inRule) {
  if (check(expression, inRule) == Type::String) {
    messages_.error(text_.locate(expression.at), "E-OP",
                    "invalid operation: a string " + std::string(use));
  }
}

void ExpressionChecker::checkInt(Expression &expression, std::string_view use, bool inRule) {
  checkNumber(expression, use, inRule);
  if (expression.type == Type::Real && !expression.isWrong) {
    messages_.warning(text_.locate(expression.begin), "W-TRUNC",
                      "a real " + std::string(use) + ": it is truncated; write int(...)");
  }
}

} // namespace tutti::compiler::luna
