// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/calculator.h"

#include "base/format.h"
#include "runtime/model/fragments/failures.h"

#include <cstdint>

namespace tutti::model::fragments {

bool Calculator::truth(const Value &value, const tutti_luna_node &node, Ask &ask, bool &out) {
  if (value.kind() == Kind::Int || value.kind() == Kind::Real) {
    out = value.kind() == Kind::Int ? value.integer() != 0 : value.real() != 0;
    return true;
  }
  failures_.failAt(node.at, fmt::format("a condition is {}", fragments::nameOf(value.kind())),
                   "E-TYPE");
  ask.hasFailed = true;
  return false;
}

bool Calculator::cast(const tutti_luna_node &node, Value value, Ask &ask, Value &out) {
  const bool isInt = value.kind() == Kind::Int;
  const bool isReal = value.kind() == Kind::Real;
  bool isTrue = false;
  switch (node.kind) {
  case TUTTI_LUNA_NOT:
    if (!truth(value, node, ask, isTrue)) {
      return false;
    }
    out = Value(std::int32_t{!isTrue});
    return true;
  case TUTTI_LUNA_NEGATE:
    if (isInt) {
      return calculateInts(node, 0, value.integer(), ask, out);
    }
    out = isReal ? Value(-value.real()) : Value();
    break;
  case TUTTI_LUNA_TO_INT: {
    constexpr double kEnd = 2147483648.0;
    if (isReal && !(value.real() > -kEnd - 1 && value.real() < kEnd)) {
      failures_.failAt(node.at, fmt::format("{} is no int", value.real()), "E-TYPE");
      ask.hasFailed = true;
      return false;
    }
    out = isReal ? Value(static_cast<std::int32_t>(value.real())) : isInt ? value : Value();
    break;
  }
  case TUTTI_LUNA_TO_REAL:
    out = isInt ? Value(static_cast<double>(value.integer())) : isReal ? value : Value();
    break;
  default:
    out = value.kind() == Kind::Bytes    ? Value()
          : value.kind() == Kind::String ? value
                                         : Value::ofText(value.asText());
  }
  if (!out.isSet()) {
    failures_.failAt(
        node.at, fmt::format("invalid operation on {}", fragments::nameOf(value.kind())), "E-TYPE");
    ask.hasFailed = true;
  }
  return out.isSet();
}

bool Calculator::calculate(const tutti_luna_node &node, const Value &a, const Value &b, Ask &ask,
                           Value &out) {
  const auto isNumber = [](const Value &of) {
    return of.kind() == Kind::Int || of.kind() == Kind::Real;
  };
  if (a.kind() == Kind::Int && b.kind() == Kind::Int) {
    return calculateInts(node, a.integer(), b.integer(), ask, out);
  }
  if (isNumber(a) && isNumber(b) && node.kind != TUTTI_LUNA_REMAINDER) {
    const auto real = [](const Value &of) {
      return of.kind() == Kind::Int ? of.integer() : of.real();
    };
    return calculateReals(node, real(a), real(b), ask, out);
  }
  const bool hasText = a.kind() == Kind::String || b.kind() == Kind::String;
  const bool areTexts = a.kind() == Kind::String && b.kind() == Kind::String;
  if (node.kind == TUTTI_LUNA_ADD && hasText && a.kind() != Kind::Bytes &&
      b.kind() != Kind::Bytes) {
    out = Value::ofText(a.asText() + b.asText());
    return true;
  }
  if (areTexts && (node.kind == TUTTI_LUNA_EQUAL || node.kind == TUTTI_LUNA_NOT_EQUAL)) {
    const bool isEqual = a.asText() == b.asText();
    out = Value(std::int32_t{isEqual == (node.kind == TUTTI_LUNA_EQUAL)});
    return true;
  }
  failures_.failAt(node.at,
                   fmt::format("invalid operation of {} and {}", fragments::nameOf(a.kind()),
                               fragments::nameOf(b.kind())),
                   "E-TYPE");
  ask.hasFailed = true;
  return false;
}

bool Calculator::calculateInts(const tutti_luna_node &node, std::int32_t a, std::int32_t b,
                               Ask &ask, Value &out) {
  const bool isDivision = node.kind == TUTTI_LUNA_DIVIDE || node.kind == TUTTI_LUNA_REMAINDER;
  if (isDivision && b == 0) {
    failures_.failAt(node.at, "division by zero", "E-DIV");
    ask.hasFailed = true;
    return false;
  }
  // In 64 bits nothing overflows; what is left of it is the sum modulo 2^32.
  const std::int64_t x = a;
  const std::int64_t y = b;
  std::int64_t result = 0;
  switch (node.kind) {
  case TUTTI_LUNA_ADD:
    result = x + y;
    break;
  case TUTTI_LUNA_NEGATE:
  case TUTTI_LUNA_SUBTRACT:
    result = x - y;
    break;
  case TUTTI_LUNA_MULTIPLY:
    result = x * y;
    break;
  case TUTTI_LUNA_DIVIDE:
    result = x / y;
    break;
  case TUTTI_LUNA_REMAINDER:
    result = x % y;
    break;
  case TUTTI_LUNA_LESS:
    result = x < y;
    break;
  case TUTTI_LUNA_LESS_EQUAL:
    result = x <= y;
    break;
  case TUTTI_LUNA_GREATER:
    result = x > y;
    break;
  case TUTTI_LUNA_GREATER_EQUAL:
    result = x >= y;
    break;
  case TUTTI_LUNA_EQUAL:
    result = x == y;
    break;
  default:
    result = x != y;
  }
  const auto narrow = static_cast<std::int32_t>(static_cast<std::uint32_t>(result));
  if (narrow != result && (program_.unit().flags & TUTTI_LUNA_CHECK) != 0) {
    failures_.failAt(node.at, "integer overflow", "E-OVER");
    ask.hasFailed = true;
    return false;
  }
  out = Value(narrow);
  return true;
}

bool Calculator::calculateReals(const tutti_luna_node &node, double a, double b, Ask &ask,
                                Value &out) {
  const auto say = [&out](bool holds) { out = Value(std::int32_t{holds}); };
  switch (node.kind) {
  case TUTTI_LUNA_ADD:
    out = Value(a + b);
    break;
  case TUTTI_LUNA_SUBTRACT:
    out = Value(a - b);
    break;
  case TUTTI_LUNA_MULTIPLY:
    out = Value(a * b);
    break;
  case TUTTI_LUNA_DIVIDE:
    if (b == 0) {
      failures_.failAt(node.at, "division by zero", "E-DIV");
      ask.hasFailed = true;
      return false;
    }
    out = Value(a / b);
    break;
  case TUTTI_LUNA_LESS:
    say(a < b);
    break;
  case TUTTI_LUNA_LESS_EQUAL:
    say(a <= b);
    break;
  case TUTTI_LUNA_GREATER:
    say(a > b);
    break;
  case TUTTI_LUNA_GREATER_EQUAL:
    say(a >= b);
    break;
  case TUTTI_LUNA_EQUAL:
    say(a == b);
    break;
  default:
    say(a != b);
  }
  return true;
}

} // namespace tutti::model::fragments
