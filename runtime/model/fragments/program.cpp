// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/program.h"

#include <algorithm>

namespace tutti::model::fragments {

namespace {

bool isLocator(const tutti_luna_rule &rule) {
  return rule.kind == TUTTI_LUNA_LOCATOR_CYCLIC || rule.kind == TUTTI_LUNA_LOCATOR_ROPE;
}

} // namespace

Program::Program(const tutti_luna_unit &unit) : unit_(unit) {
  std::vector<Around> around;
  if (unit.mainSub < 0) {
    return;
  }
  // Subs that nobody calls are not told apart: looking at them costs nothing.
  std::vector<bool> seen;
  std::vector<std::int32_t> open{unit.mainSub};
  while (!open.empty()) {
    const std::int32_t sub = open.back();
    open.pop_back();
    if (static_cast<std::size_t>(sub) >= seen.size()) {
      seen.resize(static_cast<std::size_t>(sub) + 1);
    }
    if (seen[static_cast<std::size_t>(sub)]) {
      continue;
    }
    seen[static_cast<std::size_t>(sub)] = true;
    const std::size_t before = called_.size();
    look(unit.subs[sub].body, -1, around);
    open.insert(open.end(), called_.begin() + static_cast<std::ptrdiff_t>(before), called_.end());
  }
  uses_ = findUses(*this);
  steps_ = findSteps(*this);
  mergeLoops_ = findMerges(*this);
}

void Program::look(std::int32_t index, std::int32_t statement, std::vector<Around> &around) {
  if (index < 0) {
    return;
  }
  const tutti_luna_block &block = unit_.blocks[index];
  around.push_back({&block, block.slotCount > 0, statement});
  for (const std::int32_t at : list(block.rules)) {
    const tutti_luna_rule &rule = unit_.rules[at];
    // What a rule says of a parameter is decided where that is declared.
    if (isLocator(rule) && rule.slot >= block.firstData) {
      const auto slot = static_cast<std::size_t>(block.firstSlot + rule.slot);
      homes_.resize(std::max(homes_.size(), slot + 1));
      homes_[slot] = lengthFor({at, 0, -1, 0}, around, around.size() - 1);
    }
  }
  for (const std::int32_t each : list(block.statements)) {
    lookAtStatement(each, around);
  }
  around.pop_back();
}

void Program::lookAtStatement(std::int32_t index, std::vector<Around> &around) {
  const tutti_luna_statement &statement = unit_.statements[index];
  switch (statement.kind) {
  case TUTTI_LUNA_CALL: {
    const Rule rule = placeFor(index, around);
    if (rule.rule >= 0) {
      places_.resize(std::max(places_.size(), static_cast<std::size_t>(index) + 1));
      places_[static_cast<std::size_t>(index)] = rule;
    }
    return;
  }
  case TUTTI_LUNA_CALL_SUB:
    called_.push_back(statement.callee);
    return;
  default:
    look(statement.body, index, around);
    look(statement.other, index, around);
  }
}

/// The innermost length from the rule's block outwards.
Rule Program::lengthFor(Rule rule, const std::vector<Around> &around, std::size_t depth) const {
  std::int32_t up = 0;
  for (std::size_t at = depth + 1; at-- > 0;) {
    for (const std::int32_t each : list(around[at].block->rules)) {
      if (unit_.rules[each].kind == TUTTI_LUNA_ROPE_LENGTH) {
        rule.lengthNode = unit_.rules[each].value;
        rule.lengthUp = up;
        return rule;
      }
    }
    up += around[at].hasFrame ? 1 : 0;
  }
  return rule;
}

/// The call's own rule, or the innermost of a block that speaks of its label or of all.
Rule Program::placeFor(std::int32_t index, const std::vector<Around> &around) const {
  const tutti_luna_statement &statement = unit_.statements[index];
  for (const std::int32_t each : list(statement.rules)) {
    if (isLocator(unit_.rules[each])) {
      return lengthFor({each, 0, -1, 0}, around, around.size() - 1);
    }
  }
  std::int32_t up = 0;
  for (std::size_t at = around.size(); at-- > 0;) {
    for (const std::int32_t each : list(around[at].block->rules)) {
      const tutti_luna_rule &rule = unit_.rules[each];
      const bool isOfLabel = rule.label >= 0 && rule.label == statement.label;
      const bool isOfAll = rule.label < 0 && rule.slot < 0;
      if (isLocator(rule) && (isOfLabel || isOfAll)) {
        return lengthFor({each, up, -1, 0}, around, at);
      }
    }
    up += around[at].hasFrame ? 1 : 0;
  }
  return {};
}

bool Program::mentionsData(std::int32_t node) const {
  bool found = false;
  forData(node, 0, [&](std::int32_t, std::int32_t) { found = true; });
  return found;
}

bool Program::isShared(std::int32_t at) const {
  if (at < 0) {
    return false;
  }
  const tutti_luna_node &node = unit_.nodes[at];
  switch (node.kind) {
  case TUTTI_LUNA_INT:
  case TUTTI_LUNA_REAL:
  case TUTTI_LUNA_STRING:
  case TUTTI_LUNA_PATTERN:
    return false;
  case TUTTI_LUNA_SLOT:
    return std::ranges::any_of(list(node.indices),
                               [this](std::int32_t index) { return isShared(index); });
  case TUTTI_LUNA_OUTER:
    return isShared(node.a);
  case TUTTI_LUNA_AND:
  case TUTTI_LUNA_OR:
    return mentionsData(node.b) || isShared(node.a);
  case TUTTI_LUNA_CHOOSE:
    return mentionsData(node.b) || mentionsData(node.c) || isShared(node.a);
  default:
    return isShared(node.a) || (node.kind >= TUTTI_LUNA_ADD && isShared(node.b));
  }
}

std::string Program::nameOf(std::int32_t index) const {
  const tutti_luna_statement &statement = unit_.statements[index];
  switch (statement.kind) {
  case TUTTI_LUNA_CALL:
    return unit_.procedures[statement.callee].name;
  case TUTTI_LUNA_CALL_SUB:
    return unit_.subs[statement.callee].name;
  case TUTTI_LUNA_FOR:
    return "for";
  case TUTTI_LUNA_WHILE:
    return "while";
  default:
    return "if";
  }
}

} // namespace tutti::model::fragments
