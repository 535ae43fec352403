// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/uses.h"

#include "runtime/model/fragments/program.h"
#include "runtime/model/fragments/reached_subs.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace tutti::model::fragments {

namespace {

/// Walks the subs that `main` leads to. What is not understood makes the slots in it unknown.
class UseFinder {
public:
  explicit UseFinder(const Program &program)
      : program_(program), unit_(program.unit()), subs_(unit_.mainSub) {}

  std::vector<Uses> find() {
    while (const std::optional<std::size_t> sub = subs_.next()) {
      walk(unit_.subs[*sub].body, {});
    }
    passOn();
    return std::move(uses_);
  }

private:
  struct Level {
    const tutti_luna_block *block = nullptr;
    bool hasFrame = false;
    bool isWhile = false;
    Turn turn; ///< Whose body the block is; none of a block in braces, of a `while` or of a sub.
  };

  /// How an expression is evaluated.
  struct Way {
    bool isPlain;   ///< Once for each time that its statement comes to life.
    bool isForAll;  ///< By every rank.
    bool isCertain; ///< No operator may leave it out.
  };

  static constexpr Way kOfStructure{false, true, true};

  /// A name that a call of a sub passes on; both are slots of the unit.
  struct Pass {
    std::int32_t slot;
    std::int32_t parameter;
  };

  void walk(std::int32_t block, Level level);
  void walkStatement(std::int32_t statement);
  void walkArguments(const tutti_luna_statement &statement, const char *types,
                     std::int32_t parameters);
  void read(std::int32_t node, std::int32_t up, Way way);
  std::int32_t make(std::int32_t node);
  std::int32_t readSlot(const tutti_luna_node &node, std::int32_t up, Way way);
  void passOn();
  void hide(const tutti_luna_list &nodes);
  void limit(std::int32_t node);
  Use useFrom(std::size_t declared, const tutti_luna_node &node, std::int32_t up) const;

  std::int32_t frames() const {
    return static_cast<std::int32_t>(
        std::ranges::count_if(levels_, [](const Level &level) { return level.hasFrame; }));
  }

  const Program &program_;
  const tutti_luna_unit &unit_;
  std::vector<Level> levels_;
  ReachedSubs subs_;
  std::vector<Pass> passes_;
  std::vector<Uses> uses_;
};

void UseFinder::walk(std::int32_t index, Level level) {
  if (index < 0) {
    return;
  }
  level.block = &unit_.blocks[index];
  level.hasFrame = level.block->slotCount > 0 || levels_.empty();
  levels_.push_back(level);
  const auto end = static_cast<std::size_t>(level.block->firstSlot + level.block->slotCount);
  uses_.resize(std::max(uses_.size(), end));
  for (const std::int32_t rule : program_.list(level.block->rules)) {
    read(unit_.rules[rule].value, 0, kOfStructure);
  }
  for (const std::int32_t statement : program_.list(level.block->statements)) {
    walkStatement(statement);
  }
  levels_.pop_back();
}

void UseFinder::walkStatement(std::int32_t index) {
  const tutti_luna_statement &statement = unit_.statements[index];
  Turn turn{index, false, false, frames()};
  hide(statement.signals);
  hide(statement.deletes);
  hide(statement.labelIndices);
  for (const std::int32_t rule : program_.list(statement.rules)) {
    if (unit_.rules[rule].kind == TUTTI_LUNA_REQ_COUNT) {
      limit(unit_.rules[rule].id);
    } else {
      read(unit_.rules[rule].id, 0, kOfStructure);
    }
    read(unit_.rules[rule].value, 0, kOfStructure);
  }
  switch (statement.kind) {
  case TUTTI_LUNA_CALL:
    walkArguments(statement, unit_.procedures[statement.callee].types, -1);
    break;
  case TUTTI_LUNA_CALL_SUB:
    walkArguments(statement, unit_.subs[statement.callee].types,
                  unit_.blocks[unit_.subs[statement.callee].body].firstSlot);
    subs_.add(statement.callee);
    break;
  case TUTTI_LUNA_FOR:
    read(statement.a, 0, {true, true, true});
    read(statement.b, 0, {true, true, true});
    turn.isLoop = true;
    walk(statement.body, {nullptr, false, false, turn});
    break;
  case TUTTI_LUNA_WHILE: {
    const Level level{&unit_.blocks[statement.body], true, true, {}};
    read(statement.a, 0, kOfStructure);
    read(statement.c, 0, kOfStructure);
    make(statement.c);
    levels_.push_back(level); // The condition stands in the frame of the body.
    read(statement.b, 0, kOfStructure);
    levels_.pop_back();
    walk(statement.body, {nullptr, false, true, {}});
    break;
  }
  case TUTTI_LUNA_IF:
    read(statement.a, 0, {true, true, true});
    walk(statement.body, {nullptr, false, false, turn});
    turn.isOther = true;
    walk(statement.other, {nullptr, false, false, turn});
    break;
  default:
    walk(statement.body, {});
  }
}

/// A name that is passed on may be read anywhere; one that a procedure makes is not read.
/// `parameters` is the first slot of a sub's; -1 of a procedure.
void UseFinder::walkArguments(const tutti_luna_statement &statement, const char *types,
                              std::int32_t parameters) {
  const auto nodes = program_.list(statement.arguments);
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    const tutti_luna_node *node = &program_.node(nodes[at]);
    if (types[at] != TUTTI_LUNA_TYPE_NAME) {
      while (node->kind == TUTTI_LUNA_OUTER) {
        node = &program_.node(node->a);
      }
      const bool isWhole = types[at] == TUTTI_LUNA_TYPE_VALUE && node->kind == TUTTI_LUNA_SLOT;
      const bool isShared = !isWhole && program_.isShared(nodes[at]);
      read(nodes[at], 0, {!isShared, isShared || parameters >= 0, true});
      continue;
    }
    std::int32_t up = 0;
    for (; node->kind == TUTTI_LUNA_OUTER; node = &program_.node(node->a)) {
      up += node->up;
    }
    const std::int32_t slot = make(nodes[at]);
    if (parameters >= 0) {
      readSlot(*node, up, {false, false, true});
      passes_.push_back({slot, parameters + static_cast<std::int32_t>(at)});
    }
    for (const std::int32_t index : program_.list(node->indices)) {
      read(index, up, kOfStructure);
    }
  }
}

/// Nodes whose indices alone are evaluated.
void UseFinder::hide(const tutti_luna_list &nodes) {
  for (const std::int32_t node : program_.list(nodes)) {
    program_.forData(node, 0, [&](std::int32_t at, std::int32_t up) {
      for (const std::int32_t index : program_.list(program_.node(at).indices)) {
        read(index, up, kOfStructure);
      }
    });
  }
}

/// A rule says how often a data fragment will be asked for, which is not counted then.
void UseFinder::limit(std::int32_t at) {
  std::int32_t up = 0;
  for (; program_.node(at).kind == TUTTI_LUNA_OUTER; at = program_.node(at).a) {
    up += program_.node(at).up;
  }
  const tutti_luna_node &node = program_.node(at);
  if (const std::int32_t slot = readSlot(node, up, {false, false, true}); slot >= 0) {
    uses_[static_cast<std::size_t>(slot)].areLimited = true;
  }
  for (const std::int32_t index : program_.list(node.indices)) {
    read(index, up, kOfStructure);
  }
}

/// A plain expression asks once for each data fragment that stands in it.
void UseFinder::read(std::int32_t at, std::int32_t up, Way way) {
  if (at < 0) {
    return;
  }
  const tutti_luna_node &node = program_.node(at);
  const bool isLazy =
      node.kind == TUTTI_LUNA_AND || node.kind == TUTTI_LUNA_OR || node.kind == TUTTI_LUNA_CHOOSE;
  switch (node.kind) {
  case TUTTI_LUNA_SLOT:
    readSlot(node, up, way);
    for (const std::int32_t index : program_.list(node.indices)) {
      read(index, up, kOfStructure);
    }
    return;
  case TUTTI_LUNA_INT:
  case TUTTI_LUNA_REAL:
  case TUTTI_LUNA_STRING:
  case TUTTI_LUNA_PATTERN:
    return;
  case TUTTI_LUNA_OUTER:
    read(node.a, up + node.up, way);
    return;
  default:
    read(node.a, up, way);
    if (node.kind >= TUTTI_LUNA_ADD) {
      read(node.b, up, {way.isPlain && !isLazy, way.isForAll, way.isCertain && !isLazy});
    }
    if (node.kind == TUTTI_LUNA_CHOOSE) {
      read(node.c, up, {false, way.isForAll, false});
    }
  }
}

/// Something other than a signal makes it. The slot of the unit.
std::int32_t UseFinder::make(std::int32_t node) {
  std::int32_t left = 0;
  for (; program_.node(node).kind == TUTTI_LUNA_OUTER; node = program_.node(node).a) {
    left += program_.node(node).up;
  }
  left += program_.node(node).up;
  for (std::size_t at = levels_.size(); at-- > 0;) {
    if (levels_[at].hasFrame && left-- == 0) {
      const std::int32_t slot = levels_[at].block->firstSlot + program_.node(node).slot;
      uses_[static_cast<std::size_t>(slot)].areSignals = false;
      return slot;
    }
  }
  return -1;
}

/// The slot of the unit.
std::int32_t UseFinder::readSlot(const tutti_luna_node &node, std::int32_t up, Way way) {
  std::int32_t left = up + node.up;
  for (std::size_t at = levels_.size(); at-- > 0;) {
    const Level &level = levels_[at];
    way.isPlain = way.isPlain && (!level.isWhile || (level.hasFrame && left == 0));
    if (!level.hasFrame || left-- > 0) {
      continue;
    }
    const std::int32_t slot = level.block->firstSlot + node.slot;
    Uses &uses = uses_[static_cast<std::size_t>(slot)];
    uses.areForAll = uses.areForAll || way.isForAll;
    uses.areCertain = uses.areCertain && way.isCertain;
    if (node.slot >= level.block->firstData) {
      uses.isKnown = uses.isKnown && way.isPlain;
      uses.all.push_back(useFrom(at, node, up));
    }
    return slot;
  }
  return -1;
}

/// What is asked for through a parameter is what was passed.
void UseFinder::passOn() {
  for (bool isNew = true; isNew;) {
    isNew = false;
    for (const Pass &pass : passes_) {
      if (pass.slot < 0) {
        continue;
      }
      const Uses &inside = uses_[static_cast<std::size_t>(pass.parameter)];
      Uses &uses = uses_[static_cast<std::size_t>(pass.slot)];
      const auto before = std::tuple(uses.areForAll, uses.areLimited, uses.areCertain);
      uses.areForAll = uses.areForAll || inside.areForAll;
      uses.areLimited = uses.areLimited || inside.areLimited;
      uses.areCertain = uses.areCertain && inside.areCertain;
      isNew = isNew || before != std::tuple(uses.areForAll, uses.areLimited, uses.areCertain);
    }
  }
}

Use UseFinder::useFrom(std::size_t declared, const tutti_luna_node &node, std::int32_t up) const {
  Use use;
  use.indices = node.indices;
  use.up = up;
  const auto before = static_cast<std::int32_t>(std::ranges::count_if(
      levels_.begin(), levels_.begin() + static_cast<std::ptrdiff_t>(declared) + 1,
      [](const Level &level) { return level.hasFrame; }));
  for (std::size_t at = declared + 1; at < levels_.size(); ++at) {
    const Level &level = levels_[at];
    if (level.turn.statement >= 0) {
      use.turns.push_back(level.turn);
      use.turns.back().frames -= before;
    }
    if (level.hasFrame) {
      const bool isOfLoop = level.turn.isLoop;
      use.loops.push_back(isOfLoop ? static_cast<std::int32_t>(use.turns.size()) - 1 : -1);
    }
  }
  use.frames = static_cast<std::int32_t>(use.loops.size());
  return use;
}

} // namespace

std::vector<Uses> findUses(const Program &program) { return UseFinder(program).find(); }

} // namespace tutti::model::fragments
