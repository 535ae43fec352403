// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Borders between the ranks' segments of a rope, which follow what calls take.
///
/// The iterations of a loop that goes through steps belong to rounds. Each rank notes what its
/// calls of a round take, and tells rank 0 when they are over. Rank 0 says from that which borders
/// hold two rounds later, and no rank unfolds that round before it knows. So whoever asks for the
/// place of a step's data finds the same as everybody else, and nobody is asked for it.
#include "runtime/model/fragments/ropes.h"

#include "base/check.h"
#include "runtime/model/fragments/frames.h"
#include "runtime/model/fragments/outbox.h"
#include "runtime/model/fragments/scopes.h"
#include "runtime/model/fragments/unfolding.h"
#include "runtime/model/fragments/waiters.h"
#include "runtime/model/fragments/wire.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace tutti::model::fragments {

namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

balance::Borders equalSegments(std::int32_t ranks, std::int32_t buckets) {
  balance::Borders borders;
  for (std::int32_t rank = 0; rank <= ranks; ++rank) {
    borders.push_back(static_cast<std::int32_t>(std::int64_t{rank} * buckets / ranks));
  }
  return borders;
}

Value packed(const std::vector<std::byte> &bytes) {
  Buffer *buffer = Buffer::make(bytes.size());
  TUTTI_CHECK(buffer, "no memory for {} bytes", bytes.size());
  std::copy(bytes.begin(), bytes.end(), buffer->data());
  return {Kind::Bytes, buffer};
}

std::span<const std::byte> unpacked(const Value &value) {
  return {static_cast<const std::byte *>(value.data()), value.size()};
}

} // namespace

Rope &Ropes::ropeOf(Frame &frame, std::int32_t loop) {
  for (const std::unique_ptr<Rope> &each : frame.ropes) {
    if (each->loop == loop) {
      return *each;
    }
  }
  Rope &rope = *frame.ropes.emplace_back(std::make_unique<Rope>());
  rope.frame = &frame;
  rope.loop = loop;
  rope.cuts.emplace_back();
  rope.end = program_.stepLoop(loop)->first;
  extend(rope, {});
  extend(rope, {});
  rope.end = isFrozen_ ? kNever : rope.end;
  all_.insert(&rope);
  return rope;
}

void Ropes::forgetRopes(Frame &frame) {
  for (const std::unique_ptr<Rope> &each : frame.ropes) {
    all_.erase(each.get());
  }
  frame.ropes.clear();
}

/// A loop that is known to have no third round keeps its borders.
bool Ropes::doesMove(const Rope &rope) const {
  const std::int64_t third = program_.stepLoop(rope.loop)->first + 2 * settings_.round;
  return !isFrozen_ && (!rope.last || *rope.last >= third);
}

const Cut &Ropes::cutAt(const Rope &rope, std::int64_t step) {
  const auto later = std::ranges::upper_bound(rope.cuts.begin() + 1, rope.cuts.end(), step,
                                              std::ranges::less(), &Cut::first);
  return *std::prev(later);
}

bool Ropes::cutOf(const Base &base, const Tuple &tuple, Ask &ask, const Cut *&out) {
  const Steps *steps = isBalanced() ? program_.stepsOf(base.slot) : nullptr;
  out = nullptr;
  if (!steps || steps->index >= tuple.count()) {
    return true;
  }
  Rope &rope = ropeOf(*base.frame, steps->loop);
  std::int64_t step = std::int64_t{tuple[steps->index]} - steps->offset;
  step = rope.last ? std::min(step, *rope.last) : step;
  if (step >= rope.end) {
    ask.missing.push_back(&gateOf(rope, step));
    return false;
  }
  out = &cutAt(rope, step);
  return true;
}

const Cut *Ropes::cutOf(Frame *frame) {
  for (; isBalanced() && frame && frame->parent; frame = frame->parent) {
    if (const StepLoop *loop = program_.stepLoopOf(frame->block)) {
      return &cutAt(ropeOf(*frame->parent, loop->statement), frame->slots[0].value.integer());
    }
  }
  return nullptr;
}

Entry &Ropes::gateOf(Rope &rope, std::int64_t step) {
  Entry &gate = rope.gates[step];
  gate.users = std::max(gate.users, 1U); // Nobody buries it.
  return gate;
}

/// Whoever asks finds what he waits for, or waits again.
void Ropes::openGates(Rope &rope) {
  Frame *frame = Frames::retain(rope.frame);
  std::vector<std::int64_t> steps;
  for (const auto &[step, gate] : rope.gates) {
    if (step < rope.end || (rope.last && step > *rope.last)) {
      steps.push_back(step);
    }
  }
  for (const std::int64_t step : steps) {
    const auto found = rope.gates.find(step);
    if (found == rope.gates.end()) {
      continue;
    }
    Entry &gate = found->second;
    ++gate.users; // Whoever is woken may open this one, too.
    waiters_.wake(gate);
    if (--gate.users == 1 && gate.waiters.empty()) {
      rope.gates.erase(found);
    }
  }
  frames_.release(frame);
}

bool Ropes::isGated() const {
  return std::ranges::any_of(all_, [](const Rope *rope) {
    return std::ranges::any_of(rope->gates,
                               [](const auto &gate) { return !gate.second.waiters.empty(); });
  });
}

void Ropes::beginRope(Activity &activity) {
  if (!isBalanced() || !program_.stepLoop(activity.statement)) {
    return;
  }
  Rope &rope = ropeOf(*activity.frame, activity.statement);
  rope.last = activity.last;
  rope.end = doesMove(rope) ? rope.end : kNever;
  openGates(rope);
}

bool Ropes::enterRound(Activity &activity, std::int64_t turn) {
  if (!isBalanced() || !program_.stepLoop(activity.statement)) {
    return true;
  }
  Rope &rope = ropeOf(*activity.frame, activity.statement);
  if (!doesMove(rope)) {
    leaveRound(activity);
    return true;
  }
  if (turn >= rope.end) {
    leaveRound(activity); // Its round may be the one that the others wait for.
  }
  if (turn >= rope.end) {
    Ask ask{activity.statement, true};
    ask.missing.push_back(&gateOf(rope, turn));
    unfolding_.suspend(activity, ask);
    return false;
  }
  const auto later =
      std::ranges::upper_bound(rope.rounds, turn, std::ranges::less(), &Round::first);
  Round &round = *std::prev(later);
  if (activity.round == &round.scope) {
    return true;
  }
  leaveRound(activity);
  round.scope.rope = &rope;
  round.scope.outer = activity.scope;
  round.scope.frame = Frames::retain(activity.frame);
  round.scope.statement = activity.statement;
  Scopes::enter(activity.scope);
  Scopes::enter(&round.scope);
  activity.round = &round.scope;
  if (settings_.rank == 0) { // The others are going to tell of theirs.
    activity.frame->expected += settings_.ranks - 1;
  }
  return true;
}

void Ropes::leaveRound(Activity &activity) {
  scopes_.leave(std::exchange(activity.round, nullptr));
}

void Ropes::noteSeconds(const Call &call, double seconds) {
  Scope *scope = call.scope;
  while (scope && !scope->rope) {
    scope = scope->outer;
  }
  if (!scope || call.bucket < 0) {
    return;
  }
  for (Round &round : scope->rope->rounds) {
    if (&round.scope == scope) {
      round.seconds.resize(kBuckets);
      round.seconds[static_cast<std::size_t>(call.bucket)] += seconds;
    }
  }
}

void Ropes::endRound(Scope &scope) {
  Rope &rope = *scope.rope;
  Frame *frame = scope.frame;
  const auto place =
      std::ranges::find(rope.rounds, &scope, [](Round &each) { return &each.scope; });
  const std::int64_t number = rope.firstRound + (place - rope.rounds.begin());
  std::vector<std::byte> bytes;
  Writer writer(bytes);
  writer.add(number);
  for (std::size_t bucket = 0; bucket < place->seconds.size(); ++bucket) {
    if (place->seconds[bucket] > 0) {
      writer.add(static_cast<std::int32_t>(bucket));
      writer.add(place->seconds[bucket]);
    }
  }
  place->isOver = true;
  while (!rope.rounds.empty() && rope.rounds.front().isOver) {
    rope.rounds.pop_front();
    ++rope.firstRound;
  }
  if (settings_.rank == 0) {
    hearRound(rope, packed(bytes));
  } else {
    outbox_.sendOfRope(0, kRound, rope, packed(bytes));
  }
  frames_.release(frame);
}

void Ropes::hearRound(Rope &rope, const Value &told) {
  Reader reader(unpacked(told));
  const auto number = static_cast<std::size_t>(reader.take<std::int64_t>() - rope.firstSum);
  if (isFrozen_) {
    return;
  }
  while (rope.sums.size() <= number) {
    rope.sums.push_back({0, std::vector<double>(kBuckets)});
  }
  Rope::Sum &sum = rope.sums[number];
  ++sum.told;
  while (!reader.isAtEnd()) {
    const auto bucket = reader.take<std::int32_t>();
    sum.seconds[static_cast<std::size_t>(bucket)] += reader.take<double>();
  }
  Frame *frame = Frames::retain(rope.frame);
  while (!rope.sums.empty() && rope.sums.front().told == settings_.ranks) {
    const std::vector<double> seconds = std::move(rope.sums.front().seconds);
    rope.sums.pop_front();
    ++rope.firstSum;
    decide(rope, seconds);
  }
  frames_.release(frame);
}

void Ropes::decide(Rope &rope, std::span<const double> seconds) {
  if (!rope.segments) {
    rope.segments.emplace(equalSegments(settings_.ranks, kBuckets), settings_.moveSeconds);
  }
  const bool hasMoved = rope.segments->add(seconds);
  ++counts_.rounds;
  counts_.recuts += hasMoved ? 1 : 0;
  counts_.slowestSeconds += rope.segments->load().most;
  counts_.meanSeconds += rope.segments->load().mean;
  if (rope.last && rope.end > *rope.last) {
    return; // There is no such round.
  }
  const balance::Borders borders = hasMoved ? rope.segments->borders() : balance::Borders();
  std::vector<std::byte> bytes;
  Writer writer(bytes);
  for (const std::int32_t border : borders) {
    writer.add(border);
  }
  for (std::int32_t rank = 1; rank < settings_.ranks; ++rank) {
    outbox_.sendOfRope(rank, kCut, rope, packed(bytes));
  }
  extend(rope, borders);
  openGates(rope);
}

void Ropes::hearCut(Rope &rope, const Value &told) {
  Reader reader(unpacked(told));
  balance::Borders borders;
  while (!reader.isAtEnd()) {
    borders.push_back(reader.take<std::int32_t>());
  }
  extend(rope, std::move(borders));
  openGates(rope);
}

/// Without borders those before hold on.
void Ropes::extend(Rope &rope, balance::Borders borders) const {
  if (!borders.empty()) {
    rope.cuts.push_back({rope.end, std::move(borders)});
  }
  rope.rounds.emplace_back().first = rope.end;
  rope.end += settings_.round;
}

void Ropes::freeze() {
  outbox_.tellFrozen();
  freezeHere();
}

void Ropes::freezeHere() {
  isFrozen_ = true;
  const std::vector<Rope *> ropes(all_.begin(), all_.end());
  for (Rope *rope : ropes) {
    Frames::retain(rope->frame);
    rope->end = kNever;
  }
  for (Rope *rope : ropes) {
    openGates(*rope);
  }
  for (Rope *rope : ropes) {
    frames_.release(rope->frame);
  }
}

} // namespace tutti::model::fragments
