// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Where data fragments live and calls run: every rank finds the same, and asks nobody.
#include "runtime/model/fragments/places.h"

#include "runtime/model/fragments/evaluator.h"
#include "runtime/model/fragments/ropes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

namespace tutti::model::fragments {

namespace {

std::int32_t modulo(std::int64_t value, std::int32_t ranks) {
  const std::int64_t rest = value % ranks;
  return static_cast<std::int32_t>(rest < 0 ? rest + ranks : rest);
}

} // namespace

bool Places::rankOf(const Rule &rule, Frame *frame, const Tuple &pattern, Ask &ask, const Cut *cut,
                    Spot &out) {
  const tutti_luna_rule &says = program_.unit().rules[rule.rule];
  Frame *of = above(frame, rule.up);
  const Tuple *before = std::exchange(ask.pattern, &pattern);
  const bool wasShared = std::exchange(ask.isShared, true);
  std::int32_t at = 0;
  std::int32_t length = 0;
  bool isKnown = evaluator_.evaluateInt(says.value, of, ask, at);
  if (isKnown && rule.lengthNode >= 0) {
    isKnown = evaluator_.evaluateInt(rule.lengthNode, above(of, rule.lengthUp), ask, length);
  }
  ask.pattern = before;
  ask.isShared = wasShared;
  if (says.kind == TUTTI_LUNA_LOCATOR_ROPE && length > 0) {
    findSpot(std::clamp(at, 0, length - 1), length, cut, out);
  } else {
    out.rank = modulo(at, settings_.ranks);
  }
  return isKnown;
}

/// Of a coordinate of a rope.
void Places::findSpot(std::int64_t inside, std::int64_t length, const Cut *cut, Spot &out) const {
  if (cut) {
    out.bucket = static_cast<std::int32_t>(inside * Ropes::kBuckets / length);
  }
  if (cut && !cut->borders.empty()) {
    const balance::Borders &borders = cut->borders;
    const auto behind = std::upper_bound(borders.begin(), borders.end() - 1, out.bucket);
    const double begin = *std::prev(behind);
    const double there =
        static_cast<double>(inside) * Ropes::kBuckets / static_cast<double>(length) - begin;
    out.rank = static_cast<std::int32_t>(std::prev(behind) - borders.begin());
    out.position = std::clamp(there / (*behind - begin), 0.0, 1.0);
    return;
  }
  // The segment of rank r begins at the first coordinate c with c * ranks >= r * length.
  out.rank = static_cast<std::int32_t>(inside * settings_.ranks / length);
  const std::int64_t begin = (out.rank * length + settings_.ranks - 1) / settings_.ranks;
  const std::int64_t end = ((out.rank + 1) * length + settings_.ranks - 1) / settings_.ranks;
  out.position = static_cast<double>(inside - begin) / static_cast<double>(end - begin);
}

/// Where a data fragment lives for which there is a rule.
bool Places::spotOf(const Base &base, const Tuple &tuple, Ask &ask, Spot &out) {
  const Cut *cut = nullptr;
  return ropes_.cutOf(base, tuple, ask, cut) &&
         rankOf(program_.homeOf(base.slot), base.frame, tuple, ask, cut, out);
}

bool Places::homeOf(const Base &base, const Tuple &tuple, Ask &ask, std::int32_t &home) {
  if (program_.homeOf(base.slot).rule >= 0) {
    Spot spot;
    if (!spotOf(base, tuple, ask, spot)) {
      return false;
    }
    home = spot.rank;
  } else if (tuple.count() > 0) {
    // The last index usually is the place, those before it time.
    home = modulo(tuple[tuple.count() - 1], settings_.ranks);
  } else {
    home = modulo(static_cast<std::int64_t>(base.frame->id.low >> 1) + base.here, settings_.ranks);
  }
  return true;
}

bool Places::findHome(Entry &entry, Ask &ask) {
  return entry.home >= 0 || homeOf(*entry.base, entry.tuple, ask, entry.home);
}

std::int32_t Places::rankWithoutData(const FrameId &frame, std::int32_t statement) const {
  return modulo(static_cast<std::int64_t>(frame.low >> 1) + statement, settings_.ranks);
}

/// Without advice a call runs where its first output lives, or else its first input.
bool Places::placeByData(Call &call, Ask &ask) {
  const tutti_luna_statement &statement = program_.statement(call.statement);
  const char *types = program_.unit().procedures[statement.callee].types;
  Entry *input = nullptr;
  for (std::size_t at = 0; at < call.arguments.size(); ++at) {
    Entry *entry = call.arguments[at].entry;
    if (entry && types[at] == TUTTI_LUNA_TYPE_NAME) {
      call.rank = entry->home;
      const bool wantsSpot = settings_.wantsPositions || ropes_.isBalanced();
      Spot spot;
      if (wantsSpot && program_.homeOf(entry->base->slot).rule >= 0 &&
          !spotOf(*entry->base, entry->tuple, ask, spot)) {
        return false;
      }
      call.position = spot.position;
      call.bucket = spot.bucket;
      return true;
    }
    input = input ? input : entry;
  }
  if (input) {
    call.rank = input->home;
    return true;
  }
  bool isComplete = true;
  const std::size_t known = ask.read.size();
  for (const std::int32_t node : program_.list(statement.arguments)) {
    if (program_.isShared(node)) {
      continue; // All have its value; some of what stands in it may never be there.
    }
    program_.forData(node, 0, [&](std::int32_t at, std::int32_t up) {
      Frame *frame = above(call.frame, up);
      if (!input && isComplete && evaluator_.isData(at, frame)) {
        input = evaluator_.resolve(at, frame, ask);
        isComplete = input != nullptr;
      }
    });
  }
  ask.read.truncate(known); // Whoever evaluates it makes the requests.
  call.rank = input ? input->home : rankWithoutData(call.frame->id, call.statement);
  return isComplete;
}

/// What advice says of cores and devices.
bool Places::findDevice(Call &call, Ask &ask) {
  for (const std::int32_t each : program_.list(program_.statement(call.statement).rules)) {
    const tutti_luna_rule &rule = program_.unit().rules[each];
    std::int32_t device = 0;
    if (rule.kind == TUTTI_LUNA_DEVICE) {
      const bool wasShared = std::exchange(ask.isShared, true);
      const bool isKnown = evaluator_.evaluateInt(rule.value, call.frame, ask, device);
      ask.isShared = wasShared;
      if (!isKnown) {
        return false;
      }
      call.device = device != 0 ? 1 : 0;
    }
  }
  return true;
}

bool Places::findPlace(Call &call, Ask &ask) {
  if (settings_.ranks == 1 && !settings_.wantsPositions) {
    call.rank = 0;
    return true;
  }
  if (settings_.wantsPositions && !findDevice(call, ask)) {
    return false;
  }
  const Rule &rule = program_.placeOf(call.statement);
  if (rule.rule < 0) {
    return placeByData(call, ask);
  }
  Tuple pattern;
  const bool wasShared = std::exchange(ask.isShared, true);
  bool isComplete = true;
  for (const std::int32_t node : program_.list(program_.statement(call.statement).labelIndices)) {
    std::int32_t index = 0;
    isComplete = evaluator_.evaluateInt(node, call.frame, ask, index) && isComplete;
    pattern.add(index);
  }
  ask.isShared = wasShared;
  Spot spot;
  if (!isComplete || !rankOf(rule, call.frame, pattern, ask, ropes_.cutOf(call.frame), spot)) {
    return false;
  }
  call.rank = spot.rank;
  call.position = spot.position;
  call.bucket = spot.bucket;
  return true;
}

} // namespace tutti::model::fragments
