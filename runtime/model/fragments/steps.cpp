// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/steps.h"

#include "runtime/model/fragments/asked_patterns.h"
#include "runtime/model/fragments/program.h"
#include "runtime/model/fragments/reached_subs.h"

#include <algorithm>
#include <optional>

namespace tutti::model::fragments {

namespace {

/// An index that is a counter of a loop, and a constant.
struct Counted {
  std::int32_t up; ///< Frames from the expression's to the counter's.
  std::int32_t offset;
};

class StepFinder {
public:
  explicit StepFinder(const Program &program)
      : program_(program), unit_(program.unit()), subs_(unit_.mainSub) {}

  StepLoops find() {
    while (const std::optional<std::size_t> sub = subs_.next()) {
      walk(unit_.subs[*sub].body, -1);
    }
    return std::move(found_);
  }

private:
  struct Level {
    const tutti_luna_block *block;
    std::int32_t loop; ///< That makes the frame, or -1.
  };

  void walk(std::int32_t index, std::int32_t loop) {
    if (index < 0) {
      return;
    }
    const tutti_luna_block &block = unit_.blocks[index];
    const bool hasFrame = block.slotCount > 0 || levels_.empty();
    if (hasFrame) {
      levels_.push_back({&block, loop});
    }
    for (const std::int32_t each : program_.list(block.statements)) {
      walkStatement(each);
    }
    if (hasFrame) {
      levels_.pop_back();
    }
  }

  void walkStatement(std::int32_t index) {
    const tutti_luna_statement &statement = unit_.statements[index];
    switch (statement.kind) {
    case TUTTI_LUNA_CALL:
      lookAtArguments(statement, unit_.procedures[statement.callee].types);
      return;
    case TUTTI_LUNA_CALL_SUB:
      lookAtArguments(statement, unit_.subs[statement.callee].types);
      subs_.add(statement.callee);
      return;
    case TUTTI_LUNA_FOR:
    case TUTTI_LUNA_WHILE:
      walk(statement.body, index);
      return;
    default:
      walk(statement.body, -1);
      walk(statement.other, -1);
    }
  }

  void lookAtArguments(const tutti_luna_statement &statement, const char *types) {
    const auto nodes = program_.list(statement.arguments);
    for (std::size_t at = 0; at < nodes.size(); ++at) {
      if (types[at] == TUTTI_LUNA_TYPE_NAME) {
        lookAtOutput(nodes[at]);
      }
    }
  }

  void lookAtOutput(std::int32_t at) {
    const tutti_luna_node *node = &program_.node(at);
    std::int32_t up = 0;
    for (; node->kind == TUTTI_LUNA_OUTER; node = &program_.node(node->a)) {
      up += node->up;
    }
    if (node->kind != TUTTI_LUNA_SLOT || node->indices.count == 0) {
      return;
    }
    const auto from = static_cast<std::size_t>(up + node->up);
    if (from == 0 || from >= levels_.size()) {
      return;
    }
    const std::size_t declared = levels_.size() - 1 - from;
    const tutti_luna_block &block = *levels_[declared].block;
    const std::int32_t slot = block.firstSlot + node->slot;
    const Rule &rule = program_.homeOf(slot);
    if (node->slot < block.firstData || rule.rule < 0 || rule.lengthNode < 0 ||
        unit_.rules[rule.rule].kind != TUTTI_LUNA_LOCATOR_ROPE) {
      return;
    }
    const std::int32_t loop = levels_[declared + 1].loop;
    if (loop < 0 || !firstOf(loop)) {
      return;
    }
    const auto indices = program_.list(node->indices);
    for (std::size_t index = 0; index < indices.size(); ++index) {
      const std::optional<Counted> counted = counter(indices[index], up);
      if (counted && static_cast<std::size_t>(counted->up) == from - 1 &&
          !asksForPattern(program_, unit_.rules[rule.rule].value,
                          [&](auto slot) { return slot == static_cast<std::int32_t>(index); })) {
        note(static_cast<std::size_t>(slot), {loop, index, counted->offset});
        return;
      }
    }
  }

  /// What is made latest decides where the loop's values belong.
  void note(std::size_t slot, Steps steps) {
    found_.ofSlots.resize(std::max(found_.ofSlots.size(), slot + 1));
    Steps &known = found_.ofSlots[slot];
    if (known.loop < 0) {
      known = steps;
      const bool isNew = std::ranges::none_of(
          found_.loops, [&](const StepLoop &each) { return each.statement == steps.loop; });
      if (isNew) {
        found_.loops.push_back({steps.loop, *firstOf(steps.loop)});
      }
    } else if (known.loop == steps.loop && known.index == steps.index) {
      known.offset = std::max(known.offset, steps.offset);
    }
  }

  std::optional<std::int32_t> firstOf(std::int32_t loop) const {
    const tutti_luna_node &first = program_.node(unit_.statements[loop].a);
    return first.kind == TUTTI_LUNA_INT ? std::optional(first.integer) : std::nullopt;
  }

  std::optional<Counted> counter(std::int32_t at, std::int32_t up) const {
    const tutti_luna_node &node = program_.node(at);
    if (node.kind == TUTTI_LUNA_OUTER) {
      return counter(node.a, up + node.up);
    }
    if (node.kind == TUTTI_LUNA_SLOT && node.slot == 0 && node.indices.count == 0) {
      const auto level = levels_.size() - 1 - static_cast<std::size_t>(up + node.up);
      return levels_[level].loop >= 0 ? std::optional(Counted{up + node.up, 0}) : std::nullopt;
    }
    if (node.kind != TUTTI_LUNA_ADD && node.kind != TUTTI_LUNA_SUBTRACT) {
      return std::nullopt;
    }
    const tutti_luna_node &right = program_.node(node.b);
    const tutti_luna_node &left = program_.node(node.a);
    constexpr std::int32_t kMost = 1 << 20;
    std::optional<Counted> found;
    if (right.kind == TUTTI_LUNA_INT && right.integer <= kMost) {
      found = counter(node.a, up);
      if (found) {
        found->offset += node.kind == TUTTI_LUNA_ADD ? right.integer : -right.integer;
      }
    } else if (left.kind == TUTTI_LUNA_INT && left.integer <= kMost &&
               node.kind == TUTTI_LUNA_ADD) {
      found = counter(node.b, up);
      if (found) {
        found->offset += left.integer;
      }
    }
    return found && found->offset <= kMost && found->offset >= -kMost ? found : std::nullopt;
  }

  const Program &program_;
  const tutti_luna_unit &unit_;
  std::vector<Level> levels_; ///< That make frames.
  ReachedSubs subs_;
  StepLoops found_;
};

} // namespace

StepLoops findSteps(const Program &program) { return StepFinder(program).find(); }

} // namespace tutti::model::fragments
