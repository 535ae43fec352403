// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Statements come to life: newest first, so that a program that recurs does not become broad
/// before it becomes deep.
#include "runtime/model/fragments/unfolding.h"

#include "runtime/model/fragments/calculator.h"
#include "runtime/model/fragments/calls.h"
#include "runtime/model/fragments/data.h"
#include "runtime/model/fragments/evaluator.h"
#include "runtime/model/fragments/failures.h"
#include "runtime/model/fragments/frames.h"
#include "runtime/model/fragments/gatherings.h"
#include "runtime/model/fragments/inbox.h"
#include "runtime/model/fragments/request_limits.h"
#include "runtime/model/fragments/ropes.h"
#include "runtime/model/fragments/row_calls.h"
#include "runtime/model/fragments/scopes.h"
#include "runtime/model/fragments/skipper.h"
#include "runtime/model/fragments/waiters.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tutti::model::fragments {

/// Once there is as much as may be, some has to be over before more comes to life: else somebody
/// would have to be woken for each call that ends. Not much, as calls that end wait meanwhile.
std::uint64_t Unfolding::enough() const {
  constexpr std::uint64_t kShare = 64;
  return settings_.most - (isFull_ ? settings_.most / kShare : 0);
}

bool Unfolding::canUnfold() const {
  return !failures_.hasFailed() && !stack_.empty() &&
         (calls_.unfinished() < enough() || !calls_.isBusy());
}

bool Unfolding::unfold(int steps) {
  bool canGoOn = canUnfold();
  for (; steps > 0 && canGoOn; --steps) {
    isFull_ = calls_.unfinished() >= enough();
    step();
    isFull_ = calls_.unfinished() >= enough();
    canGoOn = canUnfold();
  }
  return canGoOn;
}

void Unfolding::step() {
  Activity &activity = *stack_.back();
  if (activity.block) {
    stepList(activity);
    return;
  }
  if (activity.rule >= 0) {
    limits_.stepLimit(activity);
    return;
  }
  switch (program_.statement(activity.statement).kind) {
  case TUTTI_LUNA_FOR:
    stepFor(activity);
    break;
  case TUTTI_LUNA_WHILE:
    stepWhile(activity);
    break;
  case TUTTI_LUNA_IF:
    stepIf(activity);
    break;
  default:
    stepSub(activity);
  }
}

void Unfolding::pushList(Frame *frame, std::int32_t block, Scope *scope, Late *late) {
  Activity *activity = activities_.make();
  activity->frame = frame;
  activity->block = &program_.unit().blocks[block];
  activity->scope = scope;
  activity->late = Held::share(late);
  Scopes::enter(scope);
  stack_.push_back(activity);
}

/// It was on top when it began its step; what came to life may have woken others since.
void Unfolding::takeOff(Activity &activity) {
  if (stack_.back() == &activity) {
    stack_.pop_back();
  } else {
    std::erase(stack_, &activity);
  }
}

void Unfolding::setAside(Activity &activity) {
  takeOff(activity);
  waiters_.link(activity);
  if (activity.rule < 0) {
    activity.late = calls_.await(activity.late);
  }
}

void Unfolding::goOn(Activity &activity) {
  Waiters::unlink(activity);
  stack_.push_back(&activity);
}

void Unfolding::endActivity(Activity &activity) {
  takeOff(activity);
  if (activity.body) {
    frames_.release(activity.body);
  }
  ropes_.leaveRound(activity);
  if (activity.look) {
    frames_.release(activity.look);
  }
  frames_.release(activity.frame);
  scopes_.leave(activity.scope);
  Late *late = activity.late;
  activities_.free(&activity);
  if (late) {
    calls_.leave(*late);
  }
}

/// What it leads to comes to life where it stood; nothing does without a frame.
void Unfolding::replace(Activity &activity, Frame *frame, std::int32_t block, Scope *scope) {
  Late *late = Held::share(activity.late);
  Scopes::enter(scope);
  endActivity(activity);
  if (frame) {
    pushList(frame, block, scope, late);
  }
  scopes_.leave(scope);
  if (late) {
    calls_.leave(*late);
  }
}

void Unfolding::stepList(Activity &activity) {
  const auto statements = program_.list(activity.block->statements);
  if (activity.next == static_cast<std::int32_t>(statements.size())) {
    endActivity(activity);
    return;
  }
  const std::int32_t statement = statements[static_cast<std::size_t>(activity.next++)];
  start(statement, activity.frame, activity.scope, activity.late);
  const bool isLast = activity.next == static_cast<std::int32_t>(statements.size());
  if (isLast && stack_.back() == &activity && !failures_.hasFailed()) {
    endActivity(activity);
  }
}

void Unfolding::start(std::int32_t index, Frame *frame, Scope *scope, Late *late) {
  const tutti_luna_statement &statement = program_.statement(index);
  if (statement.kind == TUTTI_LUNA_CALL) {
    calls_.makeCall(index, frame, scope, late);
    return;
  }
  if (statement.kind == TUTTI_LUNA_STATEMENT_BLOCK) {
    pushList(bringToLife(frame, statement.body, index, 0), statement.body, scope, late);
    return;
  }
  push(index, frame, scope, late);
}

Activity &Unfolding::push(std::int32_t index, Frame *frame, Scope *scope, Late *late) {
  Activity *activity = activities_.make();
  activity->statement = index;
  activity->frame = Frames::retain(frame);
  activity->scope = scope;
  activity->late = Held::share(late);
  Scopes::enter(scope);
  stack_.push_back(activity);
  return *activity;
}

bool Unfolding::suspend(Activity &activity, Ask &ask) {
  if (ask.hasFailed || failures_.hasFailed()) {
    return true;
  }
  if (!waiters_.park(activity, ask)) {
    return false;
  }
  setAside(activity);
  return true;
}

Frame *Unfolding::bringToLife(Frame *around, std::int32_t block, std::int32_t statement,
                              std::int32_t turn) {
  Frame *frame =
      frames_.makeFrame(around, block, frames_.idOf(*around, statement, turn), around->chain);
  if (frame != around && settings_.ranks > 1) {
    inbox_.announce(*frame);
  }
  return frame;
}

void Unfolding::stepFor(Activity &activity) {
  const tutti_luna_statement &statement = program_.statement(activity.statement);
  if (!activity.isBegun) {
    if (gatherings_.awaitTrial(activity)) {
      return;
    }
    Ask ask{activity.statement, true};
    const bool hasFirst = evaluator_.evaluateInt(statement.a, activity.frame, ask, activity.next);
    const bool hasLast =
        !ask.hasFailed && evaluator_.evaluateInt(statement.b, activity.frame, ask, activity.last);
    if (!hasFirst || !hasLast) {
      suspend(activity, ask);
      return;
    }
    if (!data_.settle(ask)) {
      return;
    }
    activity.isBegun = true;
    activity.isOver = activity.next > activity.last;
    ropes_.beginRope(activity);
    if (rowCalls_.beginRows(activity)) {
      activity.isOver = true;
    } else {
      gatherings_.beginGathering(activity);
    }
  }
  if (activity.isOver) {
    endActivity(activity);
    return;
  }
  if (!skipper_.skipOthers(activity)) {
    return;
  }
  const std::int32_t turn = activity.next;
  if (!ropes_.enterRound(activity, turn)) {
    return;
  }
  activity.isOver = turn == activity.last;
  activity.next += activity.isOver ? 0 : 1;
  Frame *frame = bringToLife(activity.frame, statement.body, activity.statement, turn);
  frame->slots[0].value = Value(turn);
  pushList(frame, statement.body, activity.round ? activity.round : activity.scope, activity.late);
}

void Unfolding::stepWhile(Activity &activity) {
  const tutti_luna_statement &statement = program_.statement(activity.statement);
  Ask ask{activity.statement, true};
  if (!activity.isBegun) {
    if (!evaluator_.evaluateInt(statement.a, activity.frame, ask, activity.next)) {
      suspend(activity, ask);
      return;
    }
    activity.isBegun = true;
  }
  if (!ropes_.enterRound(activity, activity.next)) {
    return;
  }
  if (!activity.body) {
    activity.body = bringToLife(activity.frame, statement.body, activity.statement, activity.next);
    activity.body->slots[0].value = Value(activity.next);
  }
  Value condition;
  bool isTrue = false;
  if (!evaluator_.evaluate(statement.b, activity.body, ask, condition)) {
    suspend(activity, ask);
    return;
  }
  if (!calculator_.truth(condition, program_.node(statement.b), ask, isTrue)) {
    return;
  }
  if (isTrue) {
    if (!data_.settle(ask)) {
      return;
    }
    ++activity.next;
    pushList(std::exchange(activity.body, nullptr), statement.body,
             activity.round ? activity.round : activity.scope, activity.late);
    return;
  }
  Entry *out = evaluator_.resolve(statement.c, activity.frame, ask);
  if (!out) {
    suspend(activity, ask);
    return;
  }
  if (!data_.settle(ask)) {
    return;
  }
  const std::int32_t turn = activity.next;
  const std::int32_t index = activity.statement;
  ++out->users; // The scope may end with the activity.
  Frame *scope = Frames::retain(out->base->frame);
  endActivity(activity);
  --out->users;
  if (data_.isHome(*out)) {
    data_.assign(*out, Value(turn), index, settings_.rank);
  }
  frames_.release(scope);
}

void Unfolding::stepIf(Activity &activity) {
  const tutti_luna_statement &statement = program_.statement(activity.statement);
  Ask ask{activity.statement, true};
  Value condition;
  bool isTrue = false;
  if (!evaluator_.evaluate(statement.a, activity.frame, ask, condition)) {
    suspend(activity, ask);
    return;
  }
  if (!calculator_.truth(condition, program_.node(statement.a), ask, isTrue) ||
      !data_.settle(ask)) {
    return;
  }
  const std::int32_t block = isTrue ? statement.body : statement.other;
  Frame *frame =
      block < 0 ? nullptr : bringToLife(activity.frame, block, activity.statement, isTrue ? 1 : 0);
  replace(activity, frame, block, activity.scope);
}

void Unfolding::stepSub(Activity &activity) {
  const tutti_luna_statement &statement = program_.statement(activity.statement);
  const tutti_luna_sub &sub = program_.unit().subs[statement.callee];
  const auto nodes = program_.list(statement.arguments);
  Ask ask{activity.statement, true};
  std::vector<Value> values(nodes.size());
  std::vector<Name> names(nodes.size());
  bool isComplete = true;
  for (std::size_t at = 0; at < nodes.size() && !ask.hasFailed; ++at) {
    const bool isThere = sub.types[at] == TUTTI_LUNA_TYPE_NAME
                             ? evaluator_.resolveName(nodes[at], activity.frame, ask, names[at])
                             : evaluator_.evaluate(nodes[at], activity.frame, ask, values[at]);
    isComplete = isComplete && isThere;
  }
  Scope *scope = nullptr;
  if (isComplete) {
    scope = scopes_.openScope(activity.statement, activity.frame, activity.scope, ask);
    isComplete = ask.missing.empty() && !ask.hasFailed;
  }
  if (!isComplete) {
    suspend(activity, ask);
    return;
  }
  if (!data_.settle(ask)) {
    return;
  }
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    if (values[at].isSet() && !evaluator_.convert(values[at], sub.types[at], activity.statement, at,
                                                  nodes[at], activity.frame)) {
      return;
    }
  }
  auto chain = std::make_shared<Chain>(Chain{activity.statement, activity.frame->chain});
  const FrameId id = frames_.idOf(*activity.frame, activity.statement, 0);
  const tutti_luna_block &block = program_.unit().blocks[sub.body];
  Frame *frame = frames_.makeFrame(nullptr, sub.body, id, std::move(chain));
  for (std::size_t at = 0; at < nodes.size() && std::cmp_less(at, block.firstData); ++at) {
    frame->slots[at].value = std::move(values[at]);
    if (names[at].base) {
      Frames::retain(names[at].base->frame);
      frame->slots[at].name = std::make_unique<Name>(std::move(names[at]));
    }
  }
  if (settings_.ranks > 1) {
    inbox_.announce(*frame);
  }
  replace(activity, frame, sub.body, scope);
}

void Unfolding::clear() {
  for (Activity *activity : stack_) {
    discard(*activity);
  }
}

} // namespace tutti::model::fragments
