// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/merges.h"

#include "runtime/model/fragments/asked_patterns.h"
#include "runtime/model/fragments/program.h"
#include "runtime/model/fragments/reached_subs.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

namespace tutti::model::fragments {

namespace {

/// A data fragment's name as an argument of a call: which index is the loop's counter, plus a
/// constant.
struct Named {
  std::int32_t node;
  std::int32_t up;   ///< Frames from the call's to that of the block that declares it.
  std::int32_t slot; ///< Of the unit.
  std::size_t position;
  std::int32_t offset;
};

class MergeFinder {
public:
  explicit MergeFinder(const Program &program)
      : program_(program), unit_(program.unit()), subs_(unit_.mainSub) {}

  std::vector<std::int32_t> find() {
    while (const std::optional<std::size_t> sub = subs_.next()) {
      walk(unit_.subs[*sub].body, -1);
    }
    return std::move(loops_);
  }

private:
  /// `loop`: the `for` of which this is the body, or -1.
  void walk(std::int32_t index, std::int32_t loop) {
    if (index < 0) {
      return;
    }
    const tutti_luna_block &block = unit_.blocks[index];
    const bool hasFrame = block.slotCount > 0 || levels_.empty();
    if (hasFrame) {
      levels_.push_back(&block);
    }
    for (const std::int32_t each : program_.list(block.statements)) {
      const tutti_luna_statement &statement = unit_.statements[each];
      if (statement.kind == TUTTI_LUNA_CALL) {
        if (loop >= 0 && canMerge(each, loop)) {
          loops_.resize(std::max(loops_.size(), static_cast<std::size_t>(each) + 1), -1);
          loops_[static_cast<std::size_t>(each)] = loop;
        }
      } else if (statement.kind == TUTTI_LUNA_CALL_SUB) {
        subs_.add(statement.callee);
      } else {
        walk(statement.body, statement.kind == TUTTI_LUNA_FOR ? each : -1);
        walk(statement.other, -1);
      }
    }
    if (hasFrame) {
      levels_.pop_back();
    }
  }

  bool canMerge(std::int32_t index, std::int32_t loop) {
    const tutti_luna_statement &statement = unit_.statements[index];
    const tutti_luna_procedure &procedure = unit_.procedures[statement.callee];
    // Who prints line by line would print other lines.
    if (!procedure.merge || (procedure.flags & TUTTI_LUNA_EFFECT) != 0) {
      return false;
    }
    letters_ = procedure.merge;
    types_ = procedure.types;
    arguments_ = program_.list(statement.arguments);
    named_.assign(arguments_.size(), std::nullopt);
    declared_ = -1;
    for (std::size_t at = 0; at < arguments_.size(); ++at) {
      if (!lookAt(at)) {
        return false;
      }
    }
    if (declared_ < 0 || !doBordersFit()) {
      return false;
    }
    const tutti_luna_statement &around = unit_.statements[loop];
    return isSteady(around.a, 1) && isSteady(around.b, 1) && isPlaceSteady(index) &&
           isDeviceSteady(statement);
  }

  bool lookAt(std::size_t at) {
    switch (letters_[at]) {
    case TUTTI_LUNA_MERGE_SAME:
      return !mentions(arguments_[at], 0, [](std::int32_t up) { return up == 0; });
    case TUTTI_LUNA_MERGE_SIZE:
    case TUTTI_LUNA_MERGE_START:
      return true;
    default:
      named_[at] = nameOf(arguments_[at]);
    }
    if (!named_[at]) {
      return false;
    }
    if (types_[at] == TUTTI_LUNA_TYPE_NAME) {
      if (declared_ >= 0 && declared_ != named_[at]->up) {
        return false;
      }
      declared_ = named_[at]->up;
    }
    return true;
  }

  /// `x[...][i + c][...]`, of a data fragment that is declared outside of the loop.
  std::optional<Named> nameOf(std::int32_t at) const {
    const tutti_luna_node &node = program_.node(at);
    if (node.kind != TUTTI_LUNA_SLOT || node.indices.count == 0 || node.up == 0 ||
        static_cast<std::size_t>(node.up) >= levels_.size()) {
      return std::nullopt;
    }
    const tutti_luna_block &block =
        *levels_[levels_.size() - 1 - static_cast<std::size_t>(node.up)];
    if (node.slot < block.firstData) {
      return std::nullopt;
    }
    std::optional<Named> found;
    const auto indices = program_.list(node.indices);
    for (std::size_t index = 0; index < indices.size(); ++index) {
      if (const std::optional<std::int32_t> offset = counterPlus(indices[index])) {
        if (found) {
          return std::nullopt;
        }
        found = Named{at, node.up, block.firstSlot + node.slot, index, *offset};
      } else if (mentions(indices[index], 0, [](std::int32_t up) { return up == 0; })) {
        return std::nullopt;
      }
    }
    return found;
  }

  /// What is added to the counter; nothing if the expression is something else.
  std::optional<std::int32_t> counterPlus(std::int32_t at) const {
    constexpr std::int32_t kMost = 1 << 20;
    const tutti_luna_node &node = program_.node(at);
    if (node.kind == TUTTI_LUNA_SLOT) {
      const bool isCounter = node.up == 0 && node.slot == 0 && node.indices.count == 0;
      return isCounter ? std::optional(0) : std::nullopt;
    }
    if (node.kind != TUTTI_LUNA_ADD && node.kind != TUTTI_LUNA_SUBTRACT) {
      return std::nullopt;
    }
    const tutti_luna_node &right = program_.node(node.b);
    const std::optional<std::int32_t> left = counterPlus(node.a);
    if (!left || right.kind != TUTTI_LUNA_INT || right.integer > kMost || *left > kMost ||
        *left < -kMost) {
      return std::nullopt;
    }
    return *left + (node.kind == TUTTI_LUNA_ADD ? right.integer : -right.integer);
  }

  /// Whether an expression, evaluated `up` frames above the call's, uses a slot of a frame for
  /// which `isOne` holds.
  template <typename IsOne> bool mentions(std::int32_t at, std::int32_t up, IsOne isOne) const {
    bool found = false;
    program_.forData(at, up, [&](std::int32_t node, std::int32_t from) {
      found = found || isOne(from + program_.node(node).up);
    });
    return found;
  }

  /// It has the same value at all steps: it is made of what is there before them.
  bool isSteady(std::int32_t at, std::int32_t up) const {
    return !mentions(at, up, [this](std::int32_t from) { return from < declared_; });
  }

  /// The same, or made of the counter alone as well.
  bool followsCounter(std::int32_t at, std::int32_t up) const {
    return !mentions(at, up, [this](std::int32_t from) { return from > 0 && from < declared_; });
  }

  bool isBorder(std::size_t at) const {
    return letters_[at] == TUTTI_LUNA_MERGE_LEFT || letters_[at] == TUTTI_LUNA_MERGE_RIGHT;
  }

  /// Inner borders are read only by the neighbours' calls, and made for them; and they belong to
  /// the same step as the slabs between which they are.
  bool doBordersFit() const {
    for (std::size_t at = 0; at < arguments_.size(); ++at) {
      if (!isBorder(at)) {
        continue;
      }
      const bool isMade = types_[at] == TUTTI_LUNA_TYPE_NAME;
      if (!isBesideBulk(at) || !(isMade ? isReadByNeighbours(at) : isMadeByNeighbour(at))) {
        return false;
      }
    }
    return true;
  }

  /// The right border that call i reads is the left one that call i + 1 made, and so on.
  bool isNeighbours(std::size_t read, std::size_t made) const {
    const std::int32_t distance = letters_[made] == TUTTI_LUNA_MERGE_LEFT ? 1 : -1;
    return types_[read] != TUTTI_LUNA_TYPE_NAME && types_[made] == TUTTI_LUNA_TYPE_NAME &&
           isBorder(read) && isBorder(made) && letters_[read] != letters_[made] &&
           named_[read]->slot == named_[made]->slot &&
           named_[read]->position == named_[made]->position &&
           named_[read]->offset == named_[made]->offset + distance;
  }

  bool isMadeByNeighbour(std::size_t at) const {
    for (std::size_t other = 0; other < arguments_.size(); ++other) {
      if (isNeighbours(at, other)) {
        return true;
      }
    }
    return false;
  }

  bool isReadByNeighbours(std::size_t at) const {
    const Uses *uses = program_.usesOf(named_[at]->slot);
    return uses && std::ranges::all_of(uses->all, [&](const Use &use) {
             for (std::size_t other = 0; other < arguments_.size(); ++other) {
               if (isNeighbours(other, at) &&
                   program_.node(named_[other]->node).indices.first == use.indices.first) {
                 return true;
               }
             }
             return false;
           });
  }

  bool isBesideBulk(std::size_t at) const {
    for (std::size_t other = 0; other < arguments_.size(); ++other) {
      const bool isAlike =
          (types_[other] == TUTTI_LUNA_TYPE_NAME) == (types_[at] == TUTTI_LUNA_TYPE_NAME);
      if (letters_[other] == TUTTI_LUNA_MERGE_BULK && isAlike && areOfOneStep(at, other)) {
        return true;
      }
    }
    return false;
  }

  /// All indices but the counter are the same.
  bool areOfOneStep(std::size_t one, std::size_t other) const {
    const auto left = program_.list(program_.node(named_[one]->node).indices);
    const auto right = program_.list(program_.node(named_[other]->node).indices);
    if (left.size() != right.size() || named_[one]->position != named_[other]->position) {
      return false;
    }
    for (std::size_t index = 0; index < left.size(); ++index) {
      if (index != named_[one]->position && !areEqual(left[index], right[index])) {
        return false;
      }
    }
    return true;
  }

  bool areEqual(std::int32_t one, std::int32_t other) const {
    if (one < 0 || other < 0) {
      return one == other;
    }
    const tutti_luna_node &left = program_.node(one);
    const tutti_luna_node &right = program_.node(other);
    if (left.kind != right.kind) {
      return false;
    }
    switch (left.kind) {
    case TUTTI_LUNA_INT:
      return left.integer == right.integer;
    case TUTTI_LUNA_SLOT: {
      const auto indices = program_.list(left.indices);
      const auto others = program_.list(right.indices);
      return left.up == right.up && left.slot == right.slot &&
             std::ranges::equal(indices, others,
                                [this](std::int32_t a, std::int32_t b) { return areEqual(a, b); });
    }
    case TUTTI_LUNA_OUTER:
      return left.up == right.up && areEqual(left.a, right.a);
    case TUTTI_LUNA_REAL:
    case TUTTI_LUNA_STRING:
    case TUTTI_LUNA_PATTERN:
      return false;
    default:
      return areEqual(left.a, right.a) &&
             (left.kind < TUTTI_LUNA_ADD || areEqual(left.b, right.b)) &&
             (left.kind != TUTTI_LUNA_CHOOSE || areEqual(left.c, right.c));
    }
  }

  /// Where a call runs follows from its counter.
  bool isPlaceSteady(std::int32_t index) const {
    const tutti_luna_statement &statement = unit_.statements[index];
    if (const Rule &rule = program_.placeOf(index); rule.rule >= 0) {
      const auto labels = program_.list(statement.labelIndices);
      return isRuleSteady(rule.rule,
                          [&](std::int32_t pattern) {
                            const auto at = static_cast<std::size_t>(pattern);
                            return at < labels.size() && followsCounter(labels[at], 0);
                          }) &&
             followsCounter(unit_.rules[rule.rule].value, rule.up);
    }
    const auto first = std::ranges::find_if(named_, [this](const std::optional<Named> &each) {
      return each && types_[&each - named_.data()] == TUTTI_LUNA_TYPE_NAME;
    });
    const auto indices = program_.list(program_.node((*first)->node).indices);
    const Rule &home = program_.homeOf((*first)->slot);
    if (home.rule < 0) { // The last index decides.
      return (*first)->position + 1 == indices.size();
    }
    return isRuleSteady(home.rule, [&](std::int32_t pattern) {
      const auto at = static_cast<std::size_t>(pattern);
      return at < indices.size() && followsCounter(indices[at], 0);
    });
  }

  /// Whether `isSteady` holds for all indices that a rule's value asks about.
  template <typename IsSteady> bool isRuleSteady(std::int32_t rule, IsSteady isSteady) const {
    return !asksForPattern(program_, unit_.rules[rule].value,
                           [&](std::int32_t pattern) { return !isSteady(pattern); });
  }

  bool isDeviceSteady(const tutti_luna_statement &statement) const {
    return std::ranges::all_of(program_.list(statement.rules), [this](std::int32_t at) {
      const tutti_luna_rule &rule = unit_.rules[at];
      return rule.kind != TUTTI_LUNA_DEVICE || program_.node(rule.value).kind == TUTTI_LUNA_INT;
    });
  }

  const Program &program_;
  const tutti_luna_unit &unit_;
  std::vector<const tutti_luna_block *> levels_; ///< That make frames.
  ReachedSubs subs_;
  std::vector<std::int32_t> loops_;
  // Of the call that is looked at.
  const char *letters_ = nullptr;
  const char *types_ = nullptr;
  std::span<const std::int32_t> arguments_;
  std::vector<std::optional<Named>> named_; ///< Slabs and borders.
  std::int32_t declared_ = -1; ///< Frames up to the block that declares what the call makes.
};

} // namespace

std::vector<std::int32_t> findMerges(const Program &program) { return MergeFinder(program).find(); }

} // namespace tutti::model::fragments
