// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Iterations that do not concern this rank, and are not unfolded here: all of their calls run on
/// others, read no data fragment, and make what lives where they run.
#include "runtime/model/fragments/skipper.h"

#include "runtime/model/fragments/evaluator.h"
#include "runtime/model/fragments/failures.h"
#include "runtime/model/fragments/frames.h"
#include "runtime/model/fragments/places.h"
#include "runtime/model/fragments/ropes.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tutti::model::fragments {

/// Whether a call, in iterations that run on other ranks, concerns nobody but them.
bool Skipper::isSkippable(std::int32_t index, Frame *frame) {
  const tutti_luna_statement &statement = program_.statement(index);
  if (statement.kind != TUTTI_LUNA_CALL || statement.signals.count > 0 ||
      statement.deletes.count > 0) {
    return false;
  }
  for (const std::int32_t each : program_.list(statement.rules)) {
    const std::int32_t kind = program_.unit().rules[each].kind;
    if (kind != TUTTI_LUNA_LOCATOR_CYCLIC && kind != TUTTI_LUNA_LOCATOR_ROPE) {
      return false;
    }
  }
  const char *types = program_.unit().procedures[statement.callee].types;
  const auto nodes = program_.list(statement.arguments);
  int outputs = 0;
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    if (types[at] != TUTTI_LUNA_TYPE_NAME) {
      if (!evaluator_.isPlain(nodes[at], frame)) {
        return false;
      }
      continue;
    }
    ++outputs;
    const tutti_luna_node &node = program_.node(nodes[at]);
    if (node.kind != TUTTI_LUNA_SLOT) {
      return false;
    }
    for (const std::int32_t each : program_.list(node.indices)) {
      if (!evaluator_.isPlain(each, frame)) {
        return false;
      }
    }
    const Slot &slot = above(frame, node.up)->slots[static_cast<std::size_t>(node.slot)];
    const Base &base = slot.own ? *slot.own : *slot.name->base;
    if (!evaluator_.isPlain(program_.homeOf(base.slot), base.frame)) {
      return false;
    }
  }
  const Rule &rule = program_.placeOf(index);
  for (const std::int32_t each : program_.list(statement.labelIndices)) {
    if (!evaluator_.isPlain(each, frame)) {
      return false;
    }
  }
  return rule.rule >= 0 ? outputs == 0 && evaluator_.isPlain(rule, frame) : outputs <= 1;
}

bool Skipper::isSkippable(const Activity &activity) {
  const tutti_luna_block &body =
      program_.unit().blocks[program_.statement(activity.statement).body];
  if (body.slotCount != 1 || (ropes_.isBalanced() && program_.stepLoop(activity.statement))) {
    return false;
  }
  for (const std::int32_t each : program_.list(body.statements)) {
    if (!isSkippable(each, activity.look)) {
      return false;
    }
  }
  return true;
}

/// Whether the iteration has a call that runs here, or nobody can say yet.
bool Skipper::isOurs(const Activity &activity) {
  Frame *frame = activity.look;
  frame->slots[0].value = Value(activity.next);
  for (const std::int32_t index : program_.list(frame->block->statements)) {
    const tutti_luna_statement &statement = program_.statement(index);
    Ask ask{index, true};
    std::int32_t rank = -1;
    if (const Rule &rule = program_.placeOf(index); rule.rule >= 0) {
      Tuple pattern;
      for (const std::int32_t node : program_.list(statement.labelIndices)) {
        std::int32_t label = 0;
        evaluator_.evaluateInt(node, frame, ask, label);
        pattern.add(label);
      }
      Spot spot;
      places_.rankOf(rule, frame, pattern, ask, ropes_.cutOf(frame), spot);
      rank = spot.rank;
    } else {
      const char *types = program_.unit().procedures[statement.callee].types;
      const auto nodes = program_.list(statement.arguments);
      bool hasOutput = false;
      for (std::size_t at = 0; at < nodes.size(); ++at) {
        Name name;
        hasOutput = hasOutput || types[at] == TUTTI_LUNA_TYPE_NAME;
        if (types[at] == TUTTI_LUNA_TYPE_NAME &&
            evaluator_.resolveName(nodes[at], frame, ask, name)) {
          places_.homeOf(*name.base, name.tuple, ask, rank);
        }
      }
      if (!hasOutput) {
        rank = places_.rankWithoutData(activity.frame->id.child(activity.statement, activity.next),
                                       index);
      }
    }
    if (rank < 0 || rank == settings_.rank || !ask.missing.empty() || ask.hasFailed ||
        failures_.hasFailed()) {
      return true;
    }
  }
  return false;
}

bool Skipper::skipOthers(Activity &activity) {
  constexpr int kMost = 256; // Others wait for the state.
  if (settings_.ranks == 1) {
    return true;
  }
  if (!activity.isLookedAt) {
    activity.isLookedAt = true;
    const std::int32_t body = program_.statement(activity.statement).body;
    activity.look = frames_.makeFrame(activity.frame, body, FrameId(), activity.frame->chain);
    if (!isSkippable(activity)) {
      frames_.release(std::exchange(activity.look, nullptr));
    }
  }
  for (int turn = 0; activity.look && turn < kMost; ++turn) {
    if (isOurs(activity)) {
      return true;
    }
    ++counts_.skipped;
    if (activity.next == activity.last) {
      activity.isOver = true;
      return false;
    }
    ++activity.next;
  }
  return !activity.look;
}

} // namespace tutti::model::fragments
