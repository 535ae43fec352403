// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Values of expressions: what is there gives a value, what is not is noted.
#include "base/format.h"
#include "runtime/model/fragments/state.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tutti::model::fragments {

Frame *State::above(Frame *frame, std::int32_t up) {
  for (; up > 0; --up) {
    frame = frame->parent;
  }
  return frame;
}

bool State::isData(std::int32_t at, Frame *frame) const {
  const tutti_luna_node &node = program_.node(at);
  if (node.kind == TUTTI_LUNA_OUTER) {
    return isData(node.a, above(frame, node.up));
  }
  if (node.kind != TUTTI_LUNA_SLOT) {
    return false;
  }
  const Slot &slot = above(frame, node.up)->slots[static_cast<std::size_t>(node.slot)];
  return slot.own || slot.name;
}

bool State::resolveName(std::int32_t at, Frame *frame, Ask &ask, Name &out) {
  const tutti_luna_node &node = program_.node(at);
  if (node.kind == TUTTI_LUNA_OUTER) {
    return resolveName(node.a, above(frame, node.up), ask, out);
  }
  const Slot &slot = above(frame, node.up)->slots[static_cast<std::size_t>(node.slot)];
  out.base = slot.own ? slot.own.get() : slot.name->base;
  if (!slot.own) {
    out.tuple = slot.name->tuple;
  }
  bool isComplete = true;
  const bool wasShared = std::exchange(ask.isShared, true); // Which one it is, all have to know.
  for (const std::int32_t index : program_.list(node.indices)) {
    std::int32_t value = 0;
    if (evaluateInt(index, frame, ask, value)) {
      out.tuple.add(value);
    } else {
      isComplete = false;
    }
  }
  ask.isShared = wasShared;
  return isComplete;
}

Entry *State::resolve(std::int32_t at, Frame *frame, Ask &ask) {
  Name name;
  if (!resolveName(at, frame, ask, name)) {
    return nullptr;
  }
  Entry *entry = lookUp(*name.base, name.tuple);
  return findHome(*entry, ask) ? entry : nullptr;
}

bool State::evaluateSlot(std::int32_t at, Frame *frame, Ask &ask, Value &out) {
  const tutti_luna_node &node = program_.node(at);
  const Slot &slot = above(frame, node.up)->slots[static_cast<std::size_t>(node.slot)];
  if (!slot.own && !slot.name) {
    out = slot.value;
    return true;
  }
  Entry *entry = resolve(at, frame, ask);
  if (!entry) {
    return false;
  }
  if (ask.isShared && isHome(*entry)) {
    pushToAll(*entry);
  }
  const bool outlasts = ask.isShared && outlives(*entry);
  if (entry->value.isSet() && (!entry->isDeleted || outlasts)) {
    out = entry->value;
    ask.read.push_back(entry);
    return true;
  }
  const bool mayCome = outlasts && !(isHome(*entry) && entry->isAssigned);
  if ((entry->isDeleted || entry->isAssigned) && !mayCome) { // It was here once.
    ask.hasFailed = true;
    countRequest(*entry, ask.statement);
    return false;
  }
  if (std::ranges::find(ask.missing, entry) == ask.missing.end()) {
    ask.missing.push_back(entry);
  }
  return false;
}

bool State::evaluate(std::int32_t at, Frame *frame, Ask &ask, Value &out) {
  const tutti_luna_node &node = program_.node(at);
  switch (node.kind) {
  case TUTTI_LUNA_INT:
    out = Value(node.integer);
    return true;
  case TUTTI_LUNA_REAL:
    out = Value(node.real);
    return true;
  case TUTTI_LUNA_STRING:
    out = Value::ofText(node.text);
    return true;
  case TUTTI_LUNA_SLOT:
    return evaluateSlot(at, frame, ask, out);
  case TUTTI_LUNA_OUTER:
    return evaluate(node.a, above(frame, node.up), ask, out);
  case TUTTI_LUNA_PATTERN:
    if (!ask.pattern || static_cast<std::size_t>(node.slot) >= ask.pattern->count()) {
      failAt(node.at, "a rule names more indices than there are", "E-INDEX");
      ask.hasFailed = true;
      return false;
    }
    out = Value((*ask.pattern)[static_cast<std::size_t>(node.slot)]);
    return true;
  case TUTTI_LUNA_AND:
  case TUTTI_LUNA_OR:
  case TUTTI_LUNA_CHOOSE:
    return evaluateShort(node, frame, ask, out);
  case TUTTI_LUNA_NEGATE:
  case TUTTI_LUNA_NOT:
  case TUTTI_LUNA_TO_INT:
  case TUTTI_LUNA_TO_REAL:
  case TUTTI_LUNA_TO_STRING: {
    Value value;
    return evaluate(node.a, frame, ask, value) && cast(node, std::move(value), ask, out);
  }
  default:
    return evaluateBinary(node, frame, ask, out);
  }
}

/// `&&`, `||` and `?:` ask only for what they need.
bool State::evaluateShort(const tutti_luna_node &node, Frame *frame, Ask &ask, Value &out) {
  Value value;
  bool first = false;
  if (!evaluate(node.a, frame, ask, value) || !truth(value, node, ask, first)) {
    return false;
  }
  if (node.kind == TUTTI_LUNA_CHOOSE) {
    return evaluate(first ? node.b : node.c, frame, ask, out);
  }
  if (first == (node.kind == TUTTI_LUNA_OR)) {
    out = Value(std::int32_t{first});
    return true;
  }
  bool second = false;
  if (!evaluate(node.b, frame, ask, value) || !truth(value, node, ask, second)) {
    return false;
  }
  out = Value(std::int32_t{second});
  return true;
}

bool State::evaluateBinary(const tutti_luna_node &node, Frame *frame, Ask &ask, Value &out) {
  Value a;
  Value b;
  // Both are asked for at once, so that what is missing is waited for together.
  const bool hasA = evaluate(node.a, frame, ask, a);
  const bool hasB = !ask.hasFailed && evaluate(node.b, frame, ask, b);
  return hasA && hasB && calculate(node, a, b, ask, out);
}

bool State::truth(const Value &value, const tutti_luna_node &node, Ask &ask, bool &out) {
  if (value.kind() == Kind::Int || value.kind() == Kind::Real) {
    out = value.kind() == Kind::Int ? value.integer() != 0 : value.real() != 0;
    return true;
  }
  failAt(node.at, fmt::format("a condition is {}", fragments::nameOf(value.kind())), "E-TYPE");
  ask.hasFailed = true;
  return false;
}

bool State::cast(const tutti_luna_node &node, Value value, Ask &ask, Value &out) {
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
      failAt(node.at, fmt::format("{} is no int", value.real()), "E-TYPE");
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
    failAt(node.at, fmt::format("invalid operation on {}", fragments::nameOf(value.kind())),
           "E-TYPE");
    ask.hasFailed = true;
  }
  return out.isSet();
}

bool State::calculate(const tutti_luna_node &node, const Value &a, const Value &b, Ask &ask,
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
  failAt(node.at,
         fmt::format("invalid operation of {} and {}", fragments::nameOf(a.kind()),
                     fragments::nameOf(b.kind())),
         "E-TYPE");
  ask.hasFailed = true;
  return false;
}

bool State::calculateInts(const tutti_luna_node &node, std::int32_t a, std::int32_t b, Ask &ask,
                          Value &out) {
  const bool isDivision = node.kind == TUTTI_LUNA_DIVIDE || node.kind == TUTTI_LUNA_REMAINDER;
  if (isDivision && b == 0) {
    failAt(node.at, "division by zero", "E-DIV");
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
    failAt(node.at, "integer overflow", "E-OVER");
    ask.hasFailed = true;
    return false;
  }
  out = Value(narrow);
  return true;
}

bool State::calculateReals(const tutti_luna_node &node, double a, double b, Ask &ask, Value &out) {
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
      failAt(node.at, "division by zero", "E-DIV");
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

/// The value of an expression of ints and counters, which most indices are; false with nothing done
/// if it is more than that.
bool State::calculateIndex(std::int32_t at, Frame *frame, const Ask &ask, std::int32_t &out) const {
  const tutti_luna_node &node = program_.node(at);
  switch (node.kind) {
  case TUTTI_LUNA_INT:
    out = node.integer;
    return true;
  case TUTTI_LUNA_SLOT: {
    const Slot &slot = above(frame, node.up)->slots[static_cast<std::size_t>(node.slot)];
    out = slot.value.kind() == Kind::Int ? slot.value.integer() : 0;
    return slot.value.kind() == Kind::Int && !slot.own && !slot.name;
  }
  case TUTTI_LUNA_OUTER:
    return calculateIndex(node.a, above(frame, node.up), ask, out);
  case TUTTI_LUNA_PATTERN: {
    const auto index = static_cast<std::size_t>(node.slot);
    out = ask.pattern && index < ask.pattern->count() ? (*ask.pattern)[index] : 0;
    return ask.pattern && index < ask.pattern->count();
  }
  case TUTTI_LUNA_ADD:
  case TUTTI_LUNA_SUBTRACT: {
    std::int32_t a = 0;
    std::int32_t b = 0;
    return calculateIndex(node.a, frame, ask, a) && calculateIndex(node.b, frame, ask, b) &&
           !(node.kind == TUTTI_LUNA_ADD ? __builtin_add_overflow(a, b, &out)
                                         : __builtin_sub_overflow(a, b, &out));
  }
  default:
    return false;
  }
}

bool State::evaluateInt(std::int32_t at, Frame *frame, Ask &ask, std::int32_t &out) {
  if (calculateIndex(at, frame, ask, out)) {
    return true;
  }
  Value value;
  if (!evaluate(at, frame, ask, value)) {
    return false;
  }
  if (value.kind() != Kind::Int) {
    failAt(program_.node(at).at,
           fmt::format("an int is required here, the value is {}", fragments::nameOf(value.kind())),
           "E-TYPE");
    ask.hasFailed = true;
    return false;
  }
  out = value.integer();
  return true;
}

bool State::convert(Value &value, char type, std::int32_t statement, std::size_t argument,
                    std::int32_t node, Frame *frame) {
  const Kind kind = value.kind();
  const char *wanted = "string";
  switch (type) {
  case TUTTI_LUNA_TYPE_INT:
    wanted = "int";
    if (kind == Kind::Int) {
      return true;
    }
    break;
  case TUTTI_LUNA_TYPE_REAL:
    wanted = "real";
    if (kind == Kind::Int) {
      value = Value(static_cast<double>(value.integer()));
    }
    if (value.kind() == Kind::Real) {
      return true;
    }
    break;
  case TUTTI_LUNA_TYPE_STRING:
    if (kind == Kind::Int || kind == Kind::Real) {
      value = Value::ofText(value.asText());
    }
    if (value.kind() == Kind::String) {
      return true;
    }
    break;
  default:
    return true;
  }
  std::string what = "the value";
  if (isData(node, frame)) {
    Ask ask{statement};
    if (const Entry *entry = resolve(node, frame, ask)) {
      what += fmt::format(" of '{}'", nameOf(*entry));
    }
  }
  failAt(program_.at(statement),
         fmt::format("argument {} of '{}' is {}, {} is {}{}", argument + 1,
                     program_.nameOf(statement), wanted, what, fragments::nameOf(kind),
                     chainOf(frame)),
         "E-TYPE");
  return false;
}

bool State::settle(Ask &ask) {
  for (Entry *entry : ask.read) {
    if (!isHome(*entry)) {
      noteRequest(*entry);
      continue;
    }
    if (!countRequest(*entry, ask.statement, ask.isShared)) {
      return false;
    }
    exhaust(*entry);
    tryBury(*entry);
  }
  ask.read.clear();
  return true;
}

bool State::park(Waiter &waiter, Ask &ask) {
  for (Entry *entry : ask.missing) {
    entry->waiters.push_back(&waiter);
    ++waiter.missing;
    waiter.held += entry->maker ? 1 : 0;
    if (entry->maker && isStructure(waiter)) { // Without it nobody knows what else there is.
      Call *maker = entry->maker;
      held_.release(*maker);
      release(*maker);
    }
  }
  return !ask.missing.empty();
}

} // namespace tutti::model::fragments
