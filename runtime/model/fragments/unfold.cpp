// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Statements come to life: newest first, so that a program that recurs does not become broad
/// before it becomes deep.
#include "runtime/model/fragments/state.h"

#include <utility>

namespace tutti::model::fragments {

State::State(const Program &program, const StateSettings &settings)
    : program_(program), settings_(settings), coresShare_(settings.parts.cores),
      dragShare_(settings.parts.drag), held_(settings.ahead),
      outgoing_(static_cast<std::size_t>(settings.ranks)) {
  all_.before = &all_;
  all_.behind = &all_;
}

/// Of a program that failed much is left.
State::~State() {
  while (all_.behind != &all_) {
    Waiter *waiter = all_.behind;
    unlink(*waiter);
    if (waiter->isCall) {
      calls_.free(static_cast<Call *>(waiter));
    } else {
      activities_.free(static_cast<Activity *>(waiter));
    }
  }
  for (Activity *activity : stack_) {
    activities_.free(activity);
  }
  for (const auto &[id, scope] : scopes_) {
    delete scope;
  }
  while (firstFrame_) {
    for (std::int32_t at = 0; at < firstFrame_->block->slotCount; ++at) {
      const Slot &slot = firstFrame_->slots[static_cast<std::size_t>(at)];
      while (slot.own && slot.own->first) {
        remove(*slot.own->first);
      }
    }
    framePool_.free(std::exchange(firstFrame_, firstFrame_->behind));
  }
}

void State::begin(std::vector<Value> arguments) {
  const tutti_luna_sub &sub = program_.unit().subs[program_.unit().mainSub];
  Frame *frame = makeFrame(nullptr, sub.body, FrameId{1, 1}, nullptr);
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    frame->slots[at].value = std::move(arguments[at]);
  }
  if (settings_.ranks > 1) {
    frames_.emplace(frame->id, frame);
  }
  pushList(frame, sub.body, nullptr);
  if (settings_.ranks > 1) {
    replay(*frame);
  }
}

/// Once there is as much as may be, some has to be over before more comes to life: else somebody
/// would have to be woken for each call that ends. Not much, as calls that end wait meanwhile.
std::uint64_t State::enough() const {
  constexpr std::uint64_t kShare = 64;
  return settings_.most - (isFull_ ? settings_.most / kShare : 0);
}

bool State::canUnfold() const {
  return !failure_ && !stack_.empty() &&
         (unfinished_ < enough() || (ready_.empty() && running_ == 0));
}

bool State::unfold(int steps) {
  bool canGoOn = canUnfold();
  for (; steps > 0 && canGoOn; --steps) {
    isFull_ = unfinished_ >= enough();
    step();
    isFull_ = unfinished_ >= enough();
    canGoOn = canUnfold();
  }
  return canGoOn;
}

void State::step() {
  Activity &activity = *stack_.back();
  if (activity.block) {
    stepList(activity);
    return;
  }
  if (activity.rule >= 0) {
    stepLimit(activity);
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

void State::enter(Scope *scope) {
  if (scope) {
    ++scope->open;
  }
}

/// Takes over the reference to the frame.
void State::pushList(Frame *frame, std::int32_t block, Scope *scope) {
  Activity *activity = activities_.make();
  activity->frame = frame;
  activity->block = &program_.unit().blocks[block];
  activity->scope = scope;
  enter(scope);
  stack_.push_back(activity);
}

/// It was on top when it began its step; what came to life may have woken others since.
void State::takeOff(Activity &activity) {
  if (stack_.back() == &activity) {
    stack_.pop_back();
  } else {
    std::erase(stack_, &activity);
  }
}

void State::endActivity(Activity &activity) {
  takeOff(activity);
  if (activity.body) {
    release(activity.body);
  }
  leaveRound(activity);
  if (activity.look) {
    release(activity.look);
  }
  release(activity.frame);
  leave(activity.scope);
  activities_.free(&activity);
}

void State::stepList(Activity &activity) {
  const auto statements = program_.list(activity.block->statements);
  if (activity.next == static_cast<std::int32_t>(statements.size())) {
    endActivity(activity);
    return;
  }
  const std::int32_t statement = statements[static_cast<std::size_t>(activity.next++)];
  start(statement, activity.frame, activity.scope);
  const bool isLast = activity.next == static_cast<std::int32_t>(statements.size());
  if (isLast && stack_.back() == &activity && !failure_) {
    endActivity(activity);
  }
}

void State::start(std::int32_t index, Frame *frame, Scope *scope) {
  const tutti_luna_statement &statement = program_.statement(index);
  if (statement.kind == TUTTI_LUNA_CALL) {
    makeCall(index, frame, scope);
    return;
  }
  if (statement.kind == TUTTI_LUNA_STATEMENT_BLOCK) {
    pushList(bringToLife(frame, statement.body, index, 0), statement.body, scope);
    return;
  }
  Activity *activity = activities_.make();
  activity->statement = index;
  activity->frame = retain(frame);
  activity->scope = scope;
  enter(scope);
  stack_.push_back(activity);
}

/// What the activity on top lacks: it leaves the stack until that is there.
bool State::suspend(Activity &activity, Ask &ask) {
  if (ask.hasFailed || failure_) {
    return true;
  }
  if (!park(activity, ask)) {
    return false;
  }
  takeOff(activity);
  link(activity);
  return true;
}

Frame *State::bringToLife(Frame *around, std::int32_t block, std::int32_t statement,
                          std::int32_t turn) {
  Frame *frame = makeFrame(around, block, idOf(*around, statement, turn), around->chain);
  if (frame != around && settings_.ranks > 1) {
    frames_.emplace(frame->id, frame);
    replay(*frame);
  }
  return frame;
}

void State::stepFor(Activity &activity) {
  const tutti_luna_statement &statement = program_.statement(activity.statement);
  if (!activity.isBegun) {
    if (awaitTrial(activity)) {
      return;
    }
    Ask ask{activity.statement, true};
    const bool hasFirst = evaluateInt(statement.a, activity.frame, ask, activity.next);
    const bool hasLast =
        !ask.hasFailed && evaluateInt(statement.b, activity.frame, ask, activity.last);
    if (!hasFirst || !hasLast) {
      suspend(activity, ask);
      return;
    }
    if (!settle(ask)) {
      return;
    }
    activity.isBegun = true;
    activity.isOver = activity.next > activity.last;
    beginRope(activity);
    if (beginRows(activity)) {
      activity.isOver = true;
    } else {
      beginGathering(activity);
    }
  }
  if (activity.isOver) {
    endActivity(activity);
    return;
  }
  if (!skipOthers(activity)) {
    return;
  }
  const std::int32_t turn = activity.next;
  if (!enterRound(activity, turn)) {
    return;
  }
  activity.isOver = turn == activity.last;
  activity.next += activity.isOver ? 0 : 1;
  Frame *frame = bringToLife(activity.frame, statement.body, activity.statement, turn);
  frame->slots[0].value = Value(turn);
  pushList(frame, statement.body, activity.round ? activity.round : activity.scope);
}

void State::stepWhile(Activity &activity) {
  const tutti_luna_statement &statement = program_.statement(activity.statement);
  Ask ask{activity.statement, true};
  if (!activity.isBegun) {
    if (!evaluateInt(statement.a, activity.frame, ask, activity.next)) {
      suspend(activity, ask);
      return;
    }
    activity.isBegun = true;
  }
  if (!enterRound(activity, activity.next)) {
    return;
  }
  if (!activity.body) {
    activity.body = bringToLife(activity.frame, statement.body, activity.statement, activity.next);
    activity.body->slots[0].value = Value(activity.next);
  }
  Value condition;
  bool isTrue = false;
  if (!evaluate(statement.b, activity.body, ask, condition)) {
    suspend(activity, ask);
    return;
  }
  if (!truth(condition, program_.node(statement.b), ask, isTrue)) {
    return;
  }
  if (isTrue) {
    if (!settle(ask)) {
      return;
    }
    ++activity.next;
    pushList(std::exchange(activity.body, nullptr), statement.body,
             activity.round ? activity.round : activity.scope);
    return;
  }
  Entry *out = resolve(statement.c, activity.frame, ask);
  if (!out) {
    suspend(activity, ask);
    return;
  }
  if (!settle(ask)) {
    return;
  }
  const std::int32_t turn = activity.next;
  const std::int32_t index = activity.statement;
  ++out->users; // The scope may end with the activity.
  Frame *scope = retain(out->base->frame);
  endActivity(activity);
  --out->users;
  if (isHome(*out)) {
    assign(*out, Value(turn), index, settings_.rank);
  }
  release(scope);
}

void State::stepIf(Activity &activity) {
  const tutti_luna_statement &statement = program_.statement(activity.statement);
  Ask ask{activity.statement, true};
  Value condition;
  bool isTrue = false;
  if (!evaluate(statement.a, activity.frame, ask, condition)) {
    suspend(activity, ask);
    return;
  }
  if (!truth(condition, program_.node(statement.a), ask, isTrue) || !settle(ask)) {
    return;
  }
  const std::int32_t block = isTrue ? statement.body : statement.other;
  Frame *frame =
      block < 0 ? nullptr : bringToLife(activity.frame, block, activity.statement, isTrue ? 1 : 0);
  Scope *scope = activity.scope;
  enter(scope);
  endActivity(activity);
  if (frame) {
    pushList(frame, block, scope);
  }
  leave(scope);
}

void State::stepSub(Activity &activity) {
  const tutti_luna_statement &statement = program_.statement(activity.statement);
  const tutti_luna_sub &sub = program_.unit().subs[statement.callee];
  const auto nodes = program_.list(statement.arguments);
  Ask ask{activity.statement, true};
  std::vector<Value> values(nodes.size());
  std::vector<Name> names(nodes.size());
  bool isComplete = true;
  for (std::size_t at = 0; at < nodes.size() && !ask.hasFailed; ++at) {
    const bool isThere = sub.types[at] == TUTTI_LUNA_TYPE_NAME
                             ? resolveName(nodes[at], activity.frame, ask, names[at])
                             : evaluate(nodes[at], activity.frame, ask, values[at]);
    isComplete = isComplete && isThere;
  }
  Scope *scope = nullptr;
  if (isComplete) {
    scope = openScope(activity.statement, activity.frame, activity.scope, ask);
    isComplete = ask.missing.empty() && !ask.hasFailed;
  }
  if (!isComplete) {
    suspend(activity, ask);
    return;
  }
  if (!settle(ask)) {
    return;
  }
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    if (values[at].isSet() &&
        !convert(values[at], sub.types[at], activity.statement, at, nodes[at], activity.frame)) {
      return;
    }
  }
  auto chain = std::make_shared<Chain>(Chain{activity.statement, activity.frame->chain});
  const FrameId id = idOf(*activity.frame, activity.statement, 0);
  const tutti_luna_block &block = program_.unit().blocks[sub.body];
  Frame *frame = makeFrame(nullptr, sub.body, id, std::move(chain));
  for (std::size_t at = 0; at < nodes.size() && std::cmp_less(at, block.firstData); ++at) {
    frame->slots[at].value = std::move(values[at]);
    if (names[at].base) {
      retain(names[at].base->frame);
      frame->slots[at].name = std::make_unique<Name>(std::move(names[at]));
    }
  }
  if (settings_.ranks > 1) {
    frames_.emplace(frame->id, frame);
    replay(*frame);
  }
  enter(scope);
  endActivity(activity);
  pushList(frame, sub.body, scope);
  leave(scope);
}

/// If something is to happen when all below the call is over, that is noted here; else it belongs
/// to what it is in.
Scope *State::openScope(std::int32_t index, Frame *frame, Scope *outer, Ask &ask) {
  const tutti_luna_statement &statement = program_.statement(index);
  if (statement.signals.count == 0 && statement.deletes.count == 0) {
    return outer;
  }
  std::vector<Entry *> signals;
  std::vector<Entry *> deletes;
  for (const std::int32_t node : program_.list(statement.signals)) {
    signals.push_back(resolve(node, frame, ask));
  }
  for (const std::int32_t node : program_.list(statement.deletes)) {
    deletes.push_back(resolve(node, frame, ask));
  }
  if (!ask.missing.empty() || ask.hasFailed) {
    return nullptr;
  }
  auto *scope = new Scope;
  scope->outer = outer;
  scope->statement = index;
  scope->frame = retain(frame);
  scope->id = idOf(*frame, index, 0);
  for (Entry *entry : signals) {
    use(scope->signals.emplace_back(), entry);
  }
  for (Entry *entry : deletes) {
    use(scope->deletes.emplace_back(), entry);
  }
  scopes_.emplace(scope->id, scope);
  if (settings_.ranks > 1) {
    if (const auto early = earlyOver_.find(scope->id); early != earlyOver_.end()) {
      scope->arrived = early->second;
      earlyOver_.erase(early);
    }
  }
  enter(outer);
  return scope;
}

void State::leave(Scope *scope) {
  while (scope && --scope->open == 0) {
    Scope *outer = scope->outer;
    if (scope->rope) {
      endRound(*scope);
      scope = outer;
      continue;
    }
    if (settings_.ranks > 1) {
      tellOver(scope->id);
    }
    arrive(*scope);
    scope = outer;
  }
}

void State::arrive(Scope &scope) {
  if (++scope.arrived == settings_.ranks) {
    fire(scope);
  }
}

/// All below the call is over, on all ranks.
void State::fire(Scope &scope) {
  for (Entry *&entry : scope.signals) {
    if (isHome(*entry)) {
      assign(*entry, Value(1), scope.statement, settings_.rank);
    }
    unuse(entry);
  }
  for (Entry *&entry : scope.deletes) {
    if (isHome(*entry)) {
      deleteAtHome(*entry, scope.statement);
    }
    unuse(entry);
  }
  scopes_.erase(scope.id);
  release(scope.frame);
  delete &scope;
}

} // namespace tutti::model::fragments
