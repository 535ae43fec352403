// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Values of expressions: what is there gives a value, what is not is noted.
#include "runtime/model/fragments/evaluator.h"

#include "base/format.h"
#include "runtime/model/fragments/calculator.h"
#include "runtime/model/fragments/data.h"
#include "runtime/model/fragments/failures.h"
#include "runtime/model/fragments/outbox.h"
#include "runtime/model/fragments/places.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace tutti::model::fragments {

bool Evaluator::isData(std::int32_t at, Frame *frame) const {
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

bool Evaluator::resolveName(std::int32_t at, Frame *frame, Ask &ask, Name &out) {
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

Entry *Evaluator::resolve(std::int32_t at, Frame *frame, Ask &ask) {
  Name name;
  if (!resolveName(at, frame, ask, name)) {
    return nullptr;
  }
  Entry *entry = data_.lookUp(*name.base, name.tuple);
  return places_.findHome(*entry, ask) ? entry : nullptr;
}

bool Evaluator::evaluateSlot(std::int32_t at, Frame *frame, Ask &ask, Value &out) {
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
  if (ask.isShared && data_.isHome(*entry)) {
    outbox_.pushToAll(*entry);
  }
  const bool outlasts = ask.isShared && data_.outlives(*entry);
  if (entry->value.isSet() && (!entry->isDeleted || outlasts)) {
    out = entry->value;
    ask.read.push_back(entry);
    return true;
  }
  const bool mayCome = outlasts && !(data_.isHome(*entry) && entry->isAssigned);
  if ((entry->isDeleted || entry->isAssigned) && !mayCome) { // It was here once.
    ask.hasFailed = true;
    data_.countRequest(*entry, ask.statement);
    return false;
  }
  if (std::ranges::find(ask.missing, entry) == ask.missing.end()) {
    ask.missing.push_back(entry);
  }
  return false;
}

bool Evaluator::evaluate(std::int32_t at, Frame *frame, Ask &ask, Value &out) {
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
      failures_.failAt(node.at, "a rule names more indices than there are", "E-INDEX");
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
    return evaluate(node.a, frame, ask, value) &&
           calculator_.cast(node, std::move(value), ask, out);
  }
  default:
    return evaluateBinary(node, frame, ask, out);
  }
}

/// `&&`, `||` and `?:` ask only for what they need.
bool Evaluator::evaluateShort(const tutti_luna_node &node, Frame *frame, Ask &ask, Value &out) {
  Value value;
  bool first = false;
  if (!evaluate(node.a, frame, ask, value) || !calculator_.truth(value, node, ask, first)) {
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
  if (!evaluate(node.b, frame, ask, value) || !calculator_.truth(value, node, ask, second)) {
    return false;
  }
  out = Value(std::int32_t{second});
  return true;
}

bool Evaluator::evaluateBinary(const tutti_luna_node &node, Frame *frame, Ask &ask, Value &out) {
  Value a;
  Value b;
  // Both are asked for at once, so that what is missing is waited for together.
  const bool hasA = evaluate(node.a, frame, ask, a);
  const bool hasB = !ask.hasFailed && evaluate(node.b, frame, ask, b);
  return hasA && hasB && calculator_.calculate(node, a, b, ask, out);
}

bool Evaluator::calculateIndex(std::int32_t at, Frame *frame, const Ask &ask,
                               std::int32_t &out) const {
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

bool Evaluator::evaluateInt(std::int32_t at, Frame *frame, Ask &ask, std::int32_t &out) {
  if (calculateIndex(at, frame, ask, out)) {
    return true;
  }
  Value value;
  if (!evaluate(at, frame, ask, value)) {
    return false;
  }
  if (value.kind() != Kind::Int) {
    failures_.failAt(
        program_.node(at).at,
        fmt::format("an int is required here, the value is {}", fragments::nameOf(value.kind())),
        "E-TYPE");
    ask.hasFailed = true;
    return false;
  }
  out = value.integer();
  return true;
}

bool Evaluator::convert(Value &value, char type, std::int32_t statement, std::size_t argument,
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
      what += fmt::format(" of '{}'", failures_.nameOf(*entry));
    }
  }
  failures_.failAt(program_.at(statement),
                   fmt::format("argument {} of '{}' is {}, {} is {}{}", argument + 1,
                               program_.nameOf(statement), wanted, what, fragments::nameOf(kind),
                               failures_.chainOf(frame)),
                   "E-TYPE");
  return false;
}

bool Evaluator::isPlain(std::int32_t node, Frame *frame) const {
  bool hasData = false;
  program_.forData(node, 0, [&](std::int32_t at, std::int32_t up) {
    hasData = hasData || isData(at, above(frame, up));
  });
  return !hasData;
}

bool Evaluator::isPlain(const Rule &rule, Frame *frame) const {
  if (rule.rule < 0) {
    return true;
  }
  Frame *of = above(frame, rule.up);
  return isPlain(program_.unit().rules[rule.rule].value, of) &&
         (rule.lengthNode < 0 || isPlain(rule.lengthNode, above(of, rule.lengthUp)));
}

} // namespace tutti::model::fragments
